"""The smallest pair on which a verifier is not lossless, and which known rule it is.

Every pair with few tokens and a small common denominator is tried, smallest first (`exact/search.py`): equal pairs and
disjoint supports are among them, and three tokens are needed, as several faults cannot be seen on two.  Then come
larger ones, seeded.  On every pair the code is run on Fractions and on floats, where it can be run on both: what is
wrong is wrong on floats, and is shown in Fractions where the formula is wrong too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain, product
from random import Random
from typing import Any, NamedTuple, TypeAlias

from exact.branching import STALE, STATE, FloatsNeeded, Raised
from exact.law import Law
from exact.reading import LawError, Numbers, read_numbers
from exact.rules import NOTHING, RULES, SELF_CHECK_RULE, Rule, emission, one_draw, rule_named
from exact.search import Pair, all_pairs, count_all, random_pair
from exact.source import Source
from exact.spans import IDEAL, Reading
from numeric.audit.following import MAX_PATHS, MAX_PATHS_OF_STEPS, SECONDS, Endless, Follow, following, require_whole
from numeric.audit.pair import (
    FLOAT32,
    FRACTION,
    NUMPY,
    Audit,
    audit_pair,
    ball_of,
    distance,
    exactly,
    in_arrays,
    read_arrays,
    read_uniform,
    token_of,
)
from numeric.audit.program import RNG, Program
from numeric.audit.sequence import (
    Contexts,
    audit_contexts,
    by_position,
    constant,
    random_contexts,
    require_few,
    require_steps,
)

TOKENS, DENOMINATOR = 3, 6
STEPS_DENOMINATOR = 3  # of the laws in a sequence: there are a law for every prefix, and more paths
LARGER, LARGER_CONTEXTS = 40, 40  # seeded ones
MOST_POSITIONS = 243  # all of them for two steps
MOST_PAIRS, MOST_TOKENS, MOST_DENOMINATOR = 100_000, 16, 1000

Progress: TypeAlias = Callable[[str, int, int], object]


class Tried(NamedTuple):
    """One pair: the audits that there are, of the formula and of the float program; one of them may be missing."""

    group: str
    formula: Audit | None
    floats: Audit | None

    @property
    def shown(self) -> Audit:
        """The formula where it says the same, as its numbers are the shorter ones."""
        audits = [x for x in (self.formula, self.floats) if x]
        return next((x for x in audits if x.lossless is audits[-1].lossless), audits[-1])

    @property
    def lossless(self) -> bool:
        return self.shown.lossless


class Coverage(NamedTuple):
    """A group of pairs, how many of them were tried, and how many there are."""

    group: str
    pairs: int
    of: int


class DraftReport(NamedTuple):
    """The first pair on which the draft's true law is not the q that it reports."""

    q: Numbers
    drawn_from: tuple[Fraction, ...]
    reported: tuple[Fraction, ...]
    tv: Fraction


@dataclass(frozen=True)
class Search:
    """Everything that was tried.

    dropped: why there is no audit of the formula, or of the float program, by its name; or none from some pair on.
    stopped: why not all pairs were tried, "" where they were.
    """

    program: Program
    uniform: Reading
    steps: int | None
    tried: tuple[Tried, ...] = field(repr=False)
    coverage: tuple[Coverage, ...]
    dropped: dict[str, str]
    seed: int
    rules: tuple[Rule, ...] = ()
    draft: DraftReport | None = None
    stopped: str = ""

    @cached_property
    def smallest(self) -> Audit | None:
        """The first counterexample, smallest first."""
        return next((t.shown for t in self.tried if not t.lossless), None)

    @property
    def lossless(self) -> bool:
        return self.smallest is None

    @property
    def holds(self) -> bool:
        """Lossless, with no more acceptance than that allows, and drafts from the q that is reported."""
        return self.lossless and self.overstated is None and self.draft is None

    @property
    def witness(self) -> Audit | None:
        """The pair to look at: the smallest counterexample, or the first on which too much acceptance is reported."""
        return self.smallest or self.overstated

    @property
    def always_raises(self) -> bool:
        """On every pair, whatever happens: is it called as it wants to be?"""
        return all(raises(t.shown) == 1 for t in self.tried)

    @property
    def failures(self) -> int:
        return sum(not t.lossless for t in self.tried)

    @cached_property
    def overstated(self) -> Audit | None:
        """The first pair on which more acceptance is reported than a lossless verifier of a draft from q can have.

        Where it draws its draft itself, that may come from another law, and only a note is due.
        """
        return self.more_than_most if self.program.draft is not None else None

    @cached_property
    def more_than_most(self) -> Audit | None:
        return next((t.shown for t in self.tried if t.lossless and t.shown.beyond > 0), None)

    @property
    def formula_only(self) -> str:
        """Why the program was not followed on floats, on some pairs at least; "" where it was."""
        return self.dropped.get(NUMPY, "") if self.lossless else ""

    @property
    def floats_alone_fail(self) -> bool:
        """Is the formula lossless on every pair, and only the program on floats not?"""
        return not self.lossless and all(t.formula and t.formula.lossless for t in self.tried)

    @cached_property
    def not_maximal(self) -> Audit | None:
        """The first pair on which less is accepted than could be."""
        return next((t.shown for t in self.tried if t.shown.maximal is False), None)

    @property
    def reports_acceptance(self) -> bool:
        return any(t.shown.alpha is not None for t in self.tried)

    @property
    def most_paths(self) -> int:
        return max(t.shown.got.paths for t in self.tried)

    @cached_property
    def formula_differs(self) -> Audit | None:
        """Where the formula is not lossless and the float program is: object arrays do something else there."""
        return next((t.formula for t in self.tried if t.formula and not t.formula.lossless and t.lossless), None)

    @property
    def farthest_floats(self) -> Audit | None:
        """Of the float audits that hold the one with the most rounding."""
        held = [t.floats for t in self.tried if t.floats and t.floats.lossless]
        return max(held, key=lambda found: found.rounding, default=None)


def audit_search(
    emit: Callable[..., object],
    *,
    draft: Callable[..., object] | None = None,
    arrays: str | None = None,
    protocol: str = RNG,
    uniform: str = "ideal",
    steps: int | None = None,
    tokens: int = TOKENS,
    denominator: int | None = None,
    seed: int = 0,
    max_paths: int | None = None,
    seconds: float = SECONDS,
    progress: Progress = lambda _stage, _done, _total: None,
) -> Search:
    """A verifier on every small pair, smallest first, and on larger seeded ones.

    emit, draft, protocol, uniform, max_paths, seconds (for one pair): as for `audit`; steps: as for `audit_sequence`.
    arrays: "fraction", "numpy" (float64) or "float32", by default the first two.  tokens, denominator: every pair with
    at most so many tokens and such a common denominator.

    Raises LawError where an option is not as said, or the program cannot be followed.

    >>> found = audit_search(lambda p, q, rng: (rng.choice(len(q), p=q), True), denominator=2)
    >>> found.smallest.p, found.smallest.q, [rule.name for rule in found.rules]
    ((Fraction(0, 1), Fraction(1, 1)), (Fraction(1, 1), Fraction(0, 1)), ['accept-all'])
    """
    require_whole(tokens=tokens)
    require_whole(0, seed=seed)
    denominator = (DENOMINATOR if steps is None else STEPS_DENOMINATOR) if denominator is None else denominator
    require_whole(denominator=denominator)
    require_few_pairs(tokens, denominator)
    program, kinds, reading = Program(emit, draft, protocol), read_arrays(arrays), read_uniform(uniform)
    usual = MAX_PATHS if steps is None else MAX_PATHS_OF_STEPS
    if steps is not None:
        require_steps(steps)
        require_few(tokens, steps)
        if draft is not None:
            raise LawError("draft= and steps=: of a sequence emit draws its drafts itself; give emit alone")
        groups = context_groups(tokens, denominator, steps, seed)
    else:
        groups = pair_groups(tokens, denominator, seed)
    trial = Trial(program, reading, kinds)
    with following(usual if max_paths is None else max_paths, seconds) as follow:
        drafting = draft_report(program, groups, follow) if draft is not None else None
        for group, cases in groups.items():
            trial.run_all(group, cases, follow, progress)
    coverage = tuple(Coverage(group, trial.count(group), len(cases)) for group, cases in groups.items())
    rules = tuple(trial.rules.values()) if steps is None else ()
    return Search(
        program, reading, steps, tuple(trial.tried), coverage, trial.dropped, seed, rules, drafting, trial.stopped
    )


def require_few_pairs(tokens: int, denominator: int) -> None:
    if tokens > MOST_TOKENS or denominator > MOST_DENOMINATOR or count_all(tokens, denominator) > MOST_PAIRS:
        raise LawError(
            f"tokens={tokens}, denominator={denominator}: at most {MOST_PAIRS:,} pairs are tried, with at most "
            f"{MOST_TOKENS} tokens and denominator {MOST_DENOMINATOR}, and there are more; give smaller numbers"
        )


Groups: TypeAlias = dict[str, list[Any]]


def pair_groups(tokens: int, denominator: int, seed: int) -> Groups:
    random = Random(seed)
    larger = [random_pair(random.randint(2, 6), random.randint(2, 1000), random) for _ in range(LARGER)]
    return {
        f"every pair with V <= {tokens} and common denominator <= {denominator}": [*all_pairs(tokens, denominator)],
        f"V <= 6, denominator <= 1,000, seeded ({seed})": larger,
    }


def context_groups(tokens: int, denominator: int, steps: int, seed: int) -> Groups:
    """The same laws after every prefix; a law for each position; then others after every prefix, seeded."""
    random = Random(seed)
    sizes = sorted((random.randint(2, min(tokens, 3)), random.randint(2, 6)) for _ in range(LARGER_CONTEXTS))
    same = [constant(*pair, steps) for pair in all_pairs(tokens, denominator)]
    positions, said = position_cases(steps, random)
    return {
        f"the same p and q after every prefix, V <= {tokens}, common denominator <= {denominator}": same,
        f"p and q by the position, V = 2, each law 0 1, 1/2 1/2 or 1 0{said}": positions,
        f"p and q by the prefix, V <= {min(tokens, 3)}, denominator <= 6, seeded ({seed})": [
            random_contexts(V, d, steps, random) for V, d in sizes
        ],
    }


def position_cases(steps: int, random: Random) -> tuple[list[Contexts], str]:
    """Laws that differ between positions alone, sure ones first; a seeded share where there are many."""
    sure, even = (
        [Numbers((Fraction(0), Fraction(1))), Numbers((Fraction(1), Fraction(0)))],
        Numbers([Fraction(1, 2)] * 2),
    )
    cases = sorted(product([*sure, even], repeat=2 * steps + 1), key=lambda laws: laws.count(even))
    if len(cases) > MOST_POSITIONS:
        kept = {*random.sample(range(len(cases)), MOST_POSITIONS)}
        cases = [laws for i, laws in enumerate(cases) if i in kept]
        return [by_position(x[: steps + 1], x[steps + 1 :]) for x in cases], f", a seeded {MOST_POSITIONS} of them"
    return [by_position(x[: steps + 1], x[steps + 1 :]) for x in cases], ""


@dataclass
class Trial:
    """What has been tried so far, on which arrays the code still runs, and which rules still fit."""

    program: Program
    uniform: Reading
    arrays: list[str]
    tried: list[Tried] = field(default_factory=list)
    dropped: dict[str, str] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=lambda: {k: v for k, v in RULES.items() if not v.reports})
    stopped: str = ""

    def run_all(self, group: str, cases: list[Any], follow: Follow, progress: Progress) -> None:
        """One after the other, until there is no going on."""
        for done, case in enumerate(cases, 1):
            if self.stopped:
                return
            self.run(group, case, follow)
            progress(group, done, len(cases))

    def run(self, group: str, case: Pair | Contexts, follow: Follow) -> None:
        found = {kind: self.audit(kind, case, follow) for kind in [*self.arrays]}
        formula, floats = found.get(FRACTION), found.get(NUMPY) or found.get(FLOAT32)
        if formula and floats and raises(formula) and not raises(floats):
            self.drop(FRACTION, f"on Fractions the program {raises_text(formula)}, on floats it does not")
            formula = None
        if not formula and not floats:
            self.stop_unfollowed()
            return
        tried = Tried(group, formula, floats)
        self.tried.append(tried)
        if any(isinstance(x, Endless) for x in tried.shown.others):
            self.stopped = "a run did not return"
        if isinstance(case, Pair):
            self.rules = {name: rule for name, rule in self.rules.items() if fits(rule, tried.shown)}

    def stop_unfollowed(self) -> None:
        """A counterexample that was found before stays one; LawError where there is none."""
        why = "; ".join(dict.fromkeys(self.dropped.values()))
        if all(t.lossless for t in self.tried):
            raise LawError(f"{why} (lossless on the {len(self.tried):,} before)" if self.tried else why)
        self.stopped = why

    def count(self, group: str) -> int:
        return sum(t.group == group for t in self.tried)

    def audit(self, kind: str, case: Pair | Contexts, follow: Follow) -> Audit | None:
        try:
            if isinstance(case, Contexts):
                return audit_contexts(self.program, case, kind, self.uniform, follow)
            return audit_pair(self.program, *case, kind, self.uniform, follow)
        except LawError as error:
            if STATE in str(error) or STALE in str(error):
                raise  # what it does on other numbers is not to be believed either
            self.drop(kind, str(error))
            return None

    def drop(self, kind: str, why: str) -> None:
        self.dropped[kind] = f"from pair {len(self.tried) + 1:,} on: {why}" if self.tried else why
        self.arrays.remove(kind)


def raises(found: Audit) -> Fraction:
    return sum((pr for x, pr in found.others.items() if isinstance(x, Raised | Endless)), Fraction(0))


def raises_text(found: Audit) -> str:
    return next(str(x) for x in found.others if isinstance(x, Raised | Endless))


def fits(rule: Rule, found: Audit) -> bool:
    """Does the rule emit what was found, with the same alpha where it is reported?"""
    wanted = emission(rule, found.p, found.q)
    gap = distance(wanted.dist, found.ideal_dist)
    off = abs(wanted.alpha - found.ideal.alpha) if found.ideal.alpha is not None else Fraction(0)
    return gap <= found.ball and off <= found.ball


# ---- the draft by itself


def draft_report(program: Program, groups: Groups, follow: Follow) -> DraftReport | None:
    """The first q of the pairs from which the draft is not drawn, though it reports it."""
    drafts = dict.fromkeys(q for _p, q in chain.from_iterable(groups.values()))
    return next(filter(None, (draft_on(program, q, follow) for q in drafts)), None)


def draft_on(program: Program, q: Numbers, follow: Follow) -> DraftReport | None:
    try:
        law, ball = follow(program.drafts, in_arrays(q, FRACTION), reading=IDEAL, size=len(q)).law, Fraction(0)
    except FloatsNeeded:
        floats = in_arrays(q, NUMPY)
        law = follow(program.drafts, floats, reading=IDEAL, size=len(q)).law
        ball = ball_of(exactly(floats), exactly(floats))
    law = Law([(read_draft(outcome, q), pr) for outcome, pr in law.items()])
    said = {reported: law.given(partial(reports, reported)) for _, reported in law}
    off = {reported: distance_from(drawn.map(first), reported) for reported, drawn in said.items()}
    worst = max(off, key=off.__getitem__)
    if off[worst] <= ball:
        return None
    drawn = said[worst].map(first)
    return DraftReport(q, tuple(drawn[x] for x in range(len(q))), tuple(worst), off[worst] / 2)


def reports(q: Numbers, outcome: tuple[Any, ...]) -> bool:
    return bool(outcome[1] == q)


def first(outcome: tuple[Any, ...]) -> Any:
    return outcome[0]


def read_draft(outcome: Any, q: Numbers) -> tuple[Any, Numbers]:
    """(the token, the law reported with it); what is no draft is held against q."""
    if not is_draft(outcome):
        return outcome, q
    return token_of(outcome[0]), read_numbers(outcome[1], names=("the q that draft reports",))[0]


def is_draft(outcome: Any) -> bool:
    return isinstance(outcome, tuple) and not isinstance(outcome, Raised)


def distance_from(drawn: Law, reported: tuple[Fraction, ...]) -> Fraction:
    """Over all tokens, and all that is none; what is reported is over its sum, as it is drawn from."""
    S = sum(reported)
    gaps = distance([drawn[x] for x in range(len(reported))], [x / S for x in reported])
    return gaps + drawn.probability(lambda x: x not in range(len(reported)))


# ---- the rules of the table as programs, and the one that every audit has to reject


def sampler(rule: Rule) -> Callable[..., object]:
    """A verifier that does what the rule says: `emit(p, q, rng)`, on Fractions; ValueError where nothing comes out."""

    def emit(p: Any, q: Any, rng: Source) -> object:
        way = one_draw(rule, Numbers(map(Fraction, p)), Numbers(map(Fraction, q)), rng)
        if way.emitted == NOTHING:
            raise ValueError("there is nothing to draw from")
        return way.emitted, way.accepted

    return emit


def self_check() -> Audit:
    """A wrong rule through the audit; LawError where it is not rejected, and the audit proves nothing."""
    rule = rule_named(SELF_CHECK_RULE)
    trial = Trial(Program(sampler(rule)), IDEAL, [FRACTION])
    with following() as follow:
        for pair in all_pairs(2, 2):
            trial.run("self-check", pair, follow)
    found = next((t.shown for t in trial.tried if not t.lossless), None)
    if found is None or rule.name not in trial.rules:
        raise LawError(f"self-check: the rule {rule.name} was not rejected, so this audit proves nothing; reinstall")
    return found
