"""Is somebody's function the exact law?  The pairs it is tried on, the claims it is judged by, and what comes of it.

The claims, in the order in which a reader can observe them:

    runs              it returns a vector of V finite numbers and a number, in time, and leaves its inputs alone
    non-negative      dist >= 0
    sums to 1         sum dist = 1
    identical draft   where q = p: dist is finite, and is p
    alpha             alpha = sum min(p, q)
    dist              dist = p

What is decided is whether each number is the exact law of the very floats that went in, up to the rounding that a
theorem allows (`numeric/crosscheck.py`).  Where it is not, `ball` tells which claim fails first: dist is below 0 by
more than the ball, or its sum, of V numbers, is off by more than V balls; either is impossible if every token is in
its ball.  The drill's own pairs are also held against the drill's own figures, which are no theorem of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from exact.reading import LawError
from exact.rules import RULES, SELF_CHECK_RULE, WRONG, Rule, emission
from numeric.crosscheck import NEAR, CrossCheck, Judge, cross_check, law_near_1
from numeric.crosscheck import WRONG as OUTSIDE
from numeric.rounding import PRECISIONS, Floats
from proof.front.candidate import Answer, Outcome, Trouble, Value
from proof.front.cases import DRILL, EDGE, GIVEN, MOST_TOKENS, SEARCH, SMALL, WITNESS, Case, exactly
from proof.front.cases import drill_cases, edge_cases, larger_cases, same_bits, small_cases, witness_cases
from proof.progress import Progress, silent

RUNS, NON_NEGATIVE, SUMS, IDENTICAL, ALPHA, DIST = CLAIMS = (
    "runs", "non-negative", "sums to 1", "identical draft", "alpha", "dist",
)  # fmt: skip

BELOW_0, OFF_IN_SUM, OFF = Fraction(1, 10**15), Fraction(1, 10**12), Fraction(1, 10**12)  # the drill's own figures
RULES_UP_TO = 64  # tokens; the exact law of a rule takes V^2 steps
LARGEST = Fraction(2**1000)

Call: TypeAlias = Callable[[Floats, Floats], Outcome]


# ---- one pair


class Failure(NamedTuple):
    """A claim that fails, and how, in words."""

    claim: str
    reason: str


@dataclass(frozen=True)
class Tried:
    """One pair and what came of it; failures in the order of the claims."""

    case: Case
    outcome: Outcome
    failures: tuple[Failure, ...] = ()
    on_dist: CrossCheck | None = None
    on_alpha: CrossCheck | None = None

    @property
    def near_only(self) -> bool:
        checks = [check.verdict for check in (self.on_dist, self.on_alpha) if check]
        return NEAR in checks and OUTSIDE not in checks

    @cached_property
    def ball(self) -> Fraction:
        """How far a correct program can be off here, see `numeric/crosscheck.py`; for dist and alpha alike."""
        assert isinstance(self.outcome, Answer)
        return max(
            Judge(precision_of(dtype), law_near_1(*self.case.floats)).ball()
            for dtype in (self.outcome.dtype, self.outcome.alpha_dtype)
        )


def precision_of(dtype: str) -> str:
    """A list, a Python float and exact numbers do not say; then it is float64, as the inputs are."""
    return dtype if dtype in PRECISIONS else "float64"


def judge(case: Case, outcome: Outcome, strict: bool = False) -> Tried:
    """The claims on one pair; strict: a result that is near but not certified fails as well."""
    if isinstance(outcome, Trouble):
        return Tried(case, outcome, (Failure(RUNS, outcome.text),))
    trouble = not_finite(case, outcome) or no_theorem(outcome)
    if trouble:
        return Tried(case, outcome, (trouble,))
    on_dist, on_alpha = cross_checks(case, outcome)
    tried = Tried(case, outcome, (), on_dist, on_alpha)
    return Tried(case, outcome, tuple(failing(tried, strict)), on_dist, on_alpha)


def not_finite(case: Case, answer: Answer) -> Failure | None:
    named = [*((f"dist[{x}]", value) for x, value in enumerate(answer.dist)), ("alpha", answer.alpha)]
    for name, value in named:
        if isinstance(value, float):
            same = same_bits(case)
            return Failure(IDENTICAL if same else RUNS, f"{name} is {value}{' where q = p' if same else ''}")
    return None


def no_theorem(answer: Answer) -> Failure | None:
    for name, dtype in (("dist", answer.dtype), ("alpha", answer.alpha_dtype)):
        if "float" in dtype and dtype not in (*PRECISIONS, "longdouble", "float128"):
            return Failure(
                RUNS, f"{name} is {dtype}: rounding is bounded for {', '.join(PRECISIONS)}; return one of these"
            )
    return None


def cross_checks(case: Case, answer: Answer) -> tuple[CrossCheck, CrossCheck]:
    """dist and alpha, each by its own precision; exact numbers that are no floats are rounded once."""
    p, q = case.floats
    dist, alpha = (as_floats(v) for v in (answer.dist, (answer.alpha,)))
    return (
        cross_check(p, q, dist=dist, dtype=precision_of(answer.dtype), name=case.name),
        cross_check(p, q, alpha=alpha[0], dtype=precision_of(answer.alpha_dtype), name=case.name),
    )


def as_floats(values: Iterable[Value]) -> Floats:
    return np.array([rounded(Fraction(x)) for x in values])


def failing(tried: Tried, strict: bool) -> Iterator[Failure]:
    """The claims that fail, in their order, of an answer in finite numbers."""
    case, answer = tried.case, tried.outcome
    assert isinstance(answer, Answer) and tried.on_dist and tried.on_alpha  # noqa: PT018 - for mypy
    dist, by_the_drill = [Fraction(x) for x in answer.dist], is_by_the_drill(tried, strict)
    below, off_in_sum = (BELOW_0, OFF_IN_SUM) if by_the_drill else (tried.ball, tried.ball)
    low = min(dist)
    if low < -below:
        yield Failure(NON_NEGATIVE, f"dist[{dist.index(low)}] is {got_text(low, answer.dtype)}")
    if abs(sum(dist, Fraction(-1))) > off_in_sum:
        yield Failure(SUMS, f"dist sums to {got_text(sum(dist, Fraction(0)), answer.dtype)}")
    wrong = not tried.on_dist.holds(strict) or (by_the_drill and farthest(dist, case)[1] >= OFF)
    if wrong and same_bits(case):
        yield Failure(IDENTICAL, f"q = p, and {off_text(case, answer, dist)}")
    if not tried.on_alpha.holds(strict):
        got = got_text(answer.alpha, answer.alpha_dtype)
        yield Failure(ALPHA, f"wanted {number_text(case.law[1])}, got {got}")
    if wrong:
        yield Failure(DIST, off_text(case, answer, dist))


def is_by_the_drill(tried: Tried, strict: bool) -> bool:
    """The drill's figures are below the spacing of float32, in which nothing could meet them: unless strict, a result
    that says it is narrower than float64 is judged by the theorem for its precision alone."""
    return tried.case.group == DRILL and (strict or not in_less_than_double(tried.outcome))


def in_less_than_double(outcome: Outcome) -> bool:
    return isinstance(outcome, Answer) and precision_of(outcome.dtype) != "float64"


def off_text(case: Case, answer: Answer, dist: Sequence[Fraction]) -> str:
    token = farthest(dist, case)[0]
    got = got_text(dist[token], answer.dtype)
    return f"token {token}: wanted {number_text(case.law[0][token])}, got {got}"


def farthest(dist: Sequence[Fraction], case: Case) -> tuple[int, Fraction]:
    """The token whose dist is farthest from the p that went in, and how far."""
    gaps = [abs(x - w) for x, w in zip(dist, exactly(case.floats[0]), strict=True)]
    return gaps.index(max(gaps)), max(gaps)


def number_text(x: Fraction) -> str:
    """A fraction where it is short, or else the shortest decimal that reads back as the nearest float.

    >>> number_text(Fraction(1, 3)), number_text(Fraction(0.1))
    ('1/3', '0.1')
    """
    return str(x) if x.denominator < 10**6 and abs(x) < 10**6 else repr(rounded(x))


def got_text(x: Value, dtype: str) -> str:
    """A float as the shortest decimal that reads back as it in its dtype; an exact number that is no float as above.

    >>> got_text(Fraction(0.5), "float64"), got_text(Fraction(1, 3), ""), got_text(float("nan"), "float32")
    ('0.5', '1/3', 'nan')
    """
    if isinstance(x, float):
        return str(x)
    if dtype == "float32":
        return str(np.float32(rounded(x)))
    return repr(rounded(x)) if dtype or rounded(x) == x else number_text(x)


def rounded(x: Fraction) -> float:
    """The nearest float, but at most 2^1000 in size, beyond which float() could overflow."""
    return float(max(-LARGEST, min(LARGEST, x)))


# ---- many pairs


@dataclass(frozen=True)
class Coverage:
    """A group of pairs: how many there are, and how many of them were run."""

    group: str
    run: int
    planned: int
    fewest_tokens: int
    most_tokens: int


def coverage_of(group: str, run: int, cases: Sequence[Case]) -> Coverage:
    sizes = [len(case.p) for case in cases]
    return Coverage(group, run, len(cases), min(sizes), max(sizes))


@dataclass(frozen=True)
class Verdict:
    """Every pair tried, in groups; strict as it was asked."""

    tried: tuple[Tried, ...] = field(repr=False)
    coverage: tuple[Coverage, ...]
    strict: bool = False
    again: tuple[Tried, ...] = ()  # the smallest failure once more, in a process of its own

    @cached_property
    def failed(self) -> tuple[Tried, ...]:
        return tuple(t for t in self.tried if t.failures)

    @cached_property
    def smallest(self) -> Tried | None:
        """The first failure of the enumeration; if it has none, the failure with the fewest tokens, rationals first."""
        groups = (SMALL, SEARCH, GIVEN, EDGE, WITNESS, DRILL)
        rank = {group: i for i, group in enumerate(groups)}
        enumerated = [t for t in self.failed if t.case.group in (SMALL, SEARCH)]
        fewest = sorted(self.failed, key=lambda t: (len(t.case.p), rank[t.case.group]))
        return next(iter(enumerated), next(iter(fewest), None))

    @property
    def steady(self) -> bool:
        """Did the smallest failure give the same answer again?"""
        return all(self.smallest and same_outcome(t.outcome, self.smallest.outcome) for t in self.again)

    @property
    def fails_again(self) -> bool:
        return all(t.failures for t in self.again)

    def failures_of(self, claim: str) -> int:
        return sum(any(f.claim == claim for f in t.failures) for t in self.failed)

    @cached_property
    def known_rules(self) -> tuple[Rule, ...]:
        return known_rules(self.tried) if self.failed else ()

    @cached_property
    def dist_of(self) -> tuple[Rule, ...]:
        """The rules that reproduce dist everywhere, where alpha is right everywhere."""
        if self.known_rules or not self.failed or any(not t.on_alpha or not t.on_alpha.holds() for t in self.tried):
            return ()
        return known_rules(self.tried, with_alpha=False)

    @cached_property
    def witnesses_off(self) -> int:
        """On how many float witnesses the rules named, of dist and alpha or of dist alone, give something else."""
        rules = self.known_rules or self.dist_of
        return max((witnesses_off(rule, self.tried, bool(self.known_rules)) for rule in rules), default=0)

    @property
    def only_alpha(self) -> bool:
        """Is every token right, and alpha alone wrong?"""
        return bool(self.failed) and all({f.claim for f in t.failures} == {ALPHA} for t in self.failed)


def judge_everywhere(call: Call, strict: bool = False, progress: Progress = silent) -> Verdict:
    """Every group of pairs.

    A group is left at a call that never returns or takes the process with it: a whole timeout or a new import for each
    of two thousand pairs would take hours and tell nothing new.  Then only the enumeration follows, for the smallest.
    """
    trial = Trial(call, strict, progress)
    for group, cases in ((DRILL, drill_cases), (EDGE, edge_cases), (WITNESS, witness_cases)):
        (trial.skip if trial.left else trial.run)(group, list(cases()))
    trial.run(SMALL, list(small_cases()))
    found = trial.verdict().smallest
    if found is not None and len(found.case.p) > MOST_TOKENS:
        trial.run(SEARCH, list(larger_cases(len(found.case.p))), until_failure=True)
    return trial.verdict()


def judge_pair(call: Call, case: Case, strict: bool = False) -> Verdict:
    """The given pair alone."""
    trial = Trial(call, strict)
    trial.run(GIVEN, [case])
    return trial.verdict()


def tried_again(call: Call, verdict: Verdict, times: int = 2) -> Verdict:
    """The verdict with its smallest failure tried again: does the answer depend on earlier calls or on chance?

    Once is enough where the call never returns, or the process ends, again.
    """
    worst, again = verdict.smallest, list[Tried]()
    while worst and len(again) < times and not (again and ended(again[-1].outcome)):
        again.append(judge(worst.case, call(*worst.case.floats), verdict.strict))
    return replace(verdict, again=tuple(again))


def same_outcome(a: Outcome, b: Outcome) -> bool:
    """Two answers that agree in every number and dtype, or two calls without one: messages may hold a time or a path.

    >>> nan = Answer((float("nan"),), Fraction(1))
    >>> same_outcome(nan, Answer((float("nan"),), Fraction(1))), same_outcome(nan, Trouble("raises"))
    (True, False)
    """
    return comparable(a) == comparable(b)


def comparable(outcome: Outcome) -> object:
    if isinstance(outcome, Trouble):
        return None
    numbers = [str(x) if isinstance(x, float) else x for x in (*outcome.dist, outcome.alpha)]  # nan is not nan
    return numbers, outcome.dtype, outcome.alpha_dtype


@dataclass
class Trial:
    """What has been tried so far."""

    call: Call
    strict: bool = False
    progress: Progress = silent
    tried: list[Tried] = field(default_factory=list)
    coverage: list[Coverage] = field(default_factory=list)

    def run(self, group: str, cases: Sequence[Case], until_failure: bool = False) -> None:
        done = 0
        for done, case in enumerate(cases, 1):
            tried = judge(case, self.call(*case.floats), self.strict)
            self.tried.append(tried)
            self.progress(group, done, len(cases))
            if ended(tried.outcome) or (until_failure and tried.failures):
                break
        self.coverage.append(coverage_of(group, done, cases[:done] if until_failure else cases))

    def skip(self, group: str, cases: Sequence[Case]) -> None:
        self.coverage.append(coverage_of(group, 0, cases))

    @property
    def left(self) -> bool:
        """Was a group left early?"""
        return any(ended(t.outcome) for t in self.tried)

    def verdict(self) -> Verdict:
        return Verdict(tuple(self.tried), tuple(self.coverage), self.strict)


def ended(outcome: Outcome) -> bool:
    """Did it take the process with it?"""
    return isinstance(outcome, Trouble) and outcome.ended


# ---- which rule is it


def known_rules(tried: Sequence[Tried], with_alpha: bool = True) -> tuple[Rule, ...]:
    """The wrong rules that give dist (and alpha) within the ball on every pair tried of up to 64 tokens, and that one
    of these pairs, at least, tells from the correct rule.

    The float witnesses are left out, as one way to write a rule may underflow there and another not.  None where the
    function gave no finite numbers on some pair: no rule of the table does that.
    """
    ordinary = [t for t in tried if t.case.group != WITNESS]
    if not all(t.on_dist for t in ordinary):
        return ()
    few_tokens_first = sorted((t for t in ordinary if len(t.case.p) <= RULES_UP_TO), key=lambda t: len(t.case.p))
    return tuple(rule for rule in WRONG.values() if is_rule(rule, few_tokens_first, with_alpha))


def is_rule(rule: Rule, tried: Sequence[Tried], with_alpha: bool) -> bool:
    apart = False
    for t in tried:
        if not gives(rule, t, with_alpha):
            return False
        apart = apart or not near(emission_of(rule, t.case), true_law(t), t.ball, with_alpha)
    return apart


def witnesses_off(rule: Rule, tried: Sequence[Tried], with_alpha: bool) -> int:
    """The float witnesses that the rule does not give, or that nobody compared as it would take too long."""
    witnesses = [t for t in tried if t.case.group == WITNESS]
    return sum(not (t.on_dist and len(t.case.p) <= RULES_UP_TO and gives(rule, t, with_alpha)) for t in witnesses)


def gives(rule: Rule, tried: Tried, with_alpha: bool) -> bool:
    return near(emission_of(rule, tried.case), got(tried), tried.ball, with_alpha)


Values: TypeAlias = tuple[Sequence[Fraction], Fraction]


def emission_of(rule: Rule, case: Case) -> Values:
    """Of the floats that went in, read exactly."""
    e = emission(rule, *map(exactly, case.floats))
    return e.dist, e.alpha


def got(tried: Tried) -> Values:
    assert isinstance(tried.outcome, Answer)
    return [Fraction(x) for x in tried.outcome.dist], Fraction(tried.outcome.alpha)


def true_law(tried: Tried) -> Values:
    return emission_of(RULES["standard"], tried.case)


def near(a: Values, b: Values, ball: Fraction, with_alpha: bool) -> bool:
    pairs_of = [*zip(a[0], b[0], strict=True), *([(a[1], b[1])] if with_alpha else [])]
    return all(abs(x - y) <= ball for x, y in pairs_of)


# ---- the checker checks itself


def self_check() -> Tried:
    """A wrong rule of the table, as a function, through the very same code: the smallest pair that rejects it.

    LawError where nothing rejects it, or where the correct rule is rejected as well.
    """
    for case in small_cases():
        tried = judge(case, in_process(RULES[SELF_CHECK_RULE], case))
        if judge(case, in_process(RULES["standard"], case)).failures:
            raise LawError("self-check: the correct rule is rejected: this checker is broken; believe nothing it says")
        if tried.failures:
            return tried
    raise LawError(
        f"self-check: {SELF_CHECK_RULE} passed as the exact law on {len(list(small_cases())):,} pairs: "
        "a checker that cannot reject shows nothing; believe nothing it says"
    )


def in_process(rule: Rule, case: Case) -> Answer:
    dist, alpha = emission_of(rule, case)
    return Answer(tuple(Fraction(float(x)) for x in dist), Fraction(float(alpha)))
