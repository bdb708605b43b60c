"""What an audit says, as text: the same for the command and for a failing test.

First the claim that fails and the smallest p and q; then per token wanted, got and off by; the two verdicts; the known
rule, if one fits on every pair tried; and what was tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from exact.branching import Raised
from exact.reading import EPSILON, brief, figure, show
from exact.rules import Rule
from exact.spans import IDEAL
from exact.text import aligned, wrapped
from numeric.audit.following import Endless
from numeric.audit.pair import DTYPES, FRACTION, NUMPY, Audit
from numeric.audit.search import DraftReport, Search
from numeric.audit.sequence import Prefix

MOST_ROWS = 32
RUNS, IN_RANGE, EXCLUDED, GRID, IDENTICAL, DIST, ALPHA = (
    "emits a token", "ids in range", "nothing that p excludes", "nothing on the grid alone", "identical draft", "dist",
    "alpha",
)  # fmt: skip


def report(search: Search, about_rule: Sequence[str] = (), replay: str = "") -> list[str]:
    """The lines on a whole search; about_rule and replay are put where they belong."""
    lines = [*wrapped(headline(search)), *(pair_lines(search.witness) if search.witness else [])]
    for block in (verdict_lines(search), rule_lines(search, about_rule), draft_lines(search.draft), note_lines(search)):
        lines += ["", *block] if block else []
    lines += ["", f"replay: {replay}"] if replay else []
    return [*lines, "", *coverage_lines(search)]


def headline(search: Search) -> str:
    if search.smallest:
        return f"NOT LOSSLESS: {': '.join(claim_that_fails(search.smallest))}"
    if search.overstated:
        return f"WRONG: {overstated_text(search.overstated)}"
    if search.draft:
        return "WRONG: the draft is not drawn from the q that it reports, though the tokens that go out are p's"
    if search.formula_only:
        return (
            "LOSSLESS as a formula, on every pair tried; the program on floats was not followed on all of them, see "
            "below. That is a fact about the pairs below, not a proof for every pair."
        )
    return (
        "LOSSLESS on every pair tried: no law that it emits tells it from the target. "
        "That is a fact about the pairs below, not a proof for every pair."
    )


def overstated_text(found: Audit) -> str:
    return (
        f"{ALPHA}: {show(found.alpha or 0)} is reported as accepted, and a lossless verifier accepts a draft from q "
        f"with at most 1 - TV(p, q) = {show(found.most or 0)}"
    )


def claim_that_fails(found: Audit) -> tuple[str, str]:
    """The first that a reader can observe, and how it fails."""
    for x, pr in found.others.items():
        if found.ideal.law[x]:
            return (IN_RANGE if is_id(x, found) else RUNS), comes_out(x, pr, found)
    if found.is_near and found.excluded:
        x, pr = next(iter(found.excluded.items()))
        return EXCLUDED, f"{comes_out(x, pr, found)}, and with 0 by p"
    if found.is_near and found.lost_on_grid:
        x = found.lost_on_grid[0]
        return GRID, f"{text_of(x)} never comes out on the grid {found.uniform}, and does with an ideal uniform number"
    if found.on_grid_only:
        x, pr = next(iter(found.on_grid_only.items()))
        return GRID, f"{comes_out(x, pr, found)} on the grid {found.uniform}, never with an ideal uniform number"
    return (IDENTICAL if found.p == found.q else DIST), f"TV from the target is {show(found.tv)}; {first_off(found)}"


def comes_out(x: Any, pr: Fraction, found: Audit) -> str:
    """
    >>> from numeric.audit import audit
    >>> comes_out(3, Fraction(1, 2), audit(lambda p, q, rng: 3, [1], [1]))
    'token 3 comes out with probability 1/2'
    """
    what = f"{text_of(x)} comes out" if is_id(x, found) else f"{outcome_text(x)},"
    return f"{what} with probability {show(pr)}"


def outcome_text(x: Any) -> str:
    """An outcome that is no token."""
    return str(x) if isinstance(x, Raised | Endless) else f"it returns {brief(x)}"


def is_id(x: Any, found: Audit) -> bool:
    """A token, or tokens, of which some may be out of range, or too many."""
    if isinstance(found.outcomes[0], tuple):
        return isinstance(x, tuple) and bool(x) and not isinstance(x, Raised) and all(isinstance(y, int) for y in x)
    return isinstance(x, int)


def text_of(x: Any) -> str:
    """
    >>> text_of(3), text_of((0, 1))
    ('token 3', 'tokens 0 1')
    """
    return f"tokens {prefix_text(x)}" if isinstance(x, tuple) else f"token {x}"


def first_off(found: Audit) -> str:
    gaps = [abs(a - b) for a, b in zip(found.dist, found.target, strict=True)]
    i = gaps.index(max(gaps))
    return f"{text_of(found.outcomes[i])}: wanted {show(found.target[i])}, got {show(found.dist[i])}"


# ---- one pair


def pair_lines(found: Audit) -> list[str]:
    """p and q, the table, and what comes out that is no token."""
    lines = [*law_lines("p", found.p), *law_lines("q", found.q), *sum_lines(found), ""]
    rows = [*table_rows(found)]
    head = ["tokens" if isinstance(found.outcomes[0], tuple) else "token", "wanted", "got", "off by"]
    lines += aligned([head, *rows[:MOST_ROWS], *alpha_rows(found)])
    lines += [f"({len(rows) - MOST_ROWS:,} rows are left out)"] if len(rows) > MOST_ROWS else []
    for x, pr in found.others.items():
        what = f"{text_of(x)}, out of range" if is_id(x, found) else outcome_text(x)
        lines += wrapped(f"no token: {what}, with probability {show(pr)}", 4)
    return lines


def sum_lines(found: Audit) -> list[str]:
    """What is wanted where the numbers are no laws."""
    if isinstance(found.p, dict):
        return []
    sums = [(name, sum(law)) for name, law in (("p", found.p), ("q", found.q))]
    eps = EPSILON[DTYPES[found.arrays]] if found.arrays in DTYPES else 0
    far = [f"{name} sums to {show(S)}" for name, S in sums if eps < (S - 1) ** 2]
    return wrapped(f"{' and '.join(far)}: what is wanted is p over its sum", 4) if far else []


def law_lines(name: str, laws: Any) -> list[str]:
    """A law, or one for every prefix; one line where all are the same."""
    if not isinstance(laws, dict):
        return wrapped(f"{name} = {', '.join(map(show, laws))}", 4)
    if len({*laws.values()}) == 1:
        return wrapped(f"{name} = {', '.join(map(show, laws[()]))} after every prefix", 4)
    longest = max(map(len, laws)) if name == "q" else None  # after these no draft is drawn
    if len({(len(x), law) for x, law in laws.items()}) == max(map(len, laws)) + 1:
        firsts = {len(x): law for x, law in laws.items() if len(x) != longest}
        texts = (f"{name} = {', '.join(map(show, law))} at position {i}" for i, law in firsts.items())
        return [line for text in texts for line in wrapped(text, 4)]
    texts = (f"{name}({prefix_text(x)}) = {', '.join(map(show, w))}" for x, w in laws.items() if len(x) != longest)
    return [line for text in texts for line in wrapped(text, 4)]


def prefix_text(prefix: Prefix) -> str:
    return " ".join(map(str, prefix))


def table_rows(found: Audit) -> Iterator[list[str]]:
    """Of sequences only those that are off: there are many."""
    many = isinstance(found.outcomes[0], tuple)
    for x, wanted, got in zip(found.outcomes, found.target, found.dist, strict=True):
        if not many or wanted != got:
            yield [prefix_text(x) if many else str(x), show(wanted), show(got), off_text(got - wanted, found)]


def alpha_rows(found: Audit) -> Iterator[list[str]]:
    if found.alpha is None:
        return
    most, gap = "", ""
    if found.most is not None:
        most, gap = f"<= {show(found.most)}", off_text(found.alpha - found.most, found)
    yield ["alpha", most, show(found.alpha), gap]


def off_text(gap: Fraction, found: Audit) -> str:
    if gap and found.arrays in DTYPES:
        return "rounding" if abs(gap) <= found.ball else figure(gap)
    return show(gap)


# ---- the verdicts


def verdict_lines(search: Search) -> list[str]:
    rows = [["lossless", *lossless_text(search)]]
    rows.append(["maximal", *maximal_text(search)] if search.steps is None else ["length", *length_text(search)])
    stuck = max((t.shown.stuck for t in search.tried), default=Fraction(0))
    of_stuck = ("yes", f"no token with probability up to {show(stuck)}") if stuck else ("no", "a token on every path")
    rows.append(["stuck", *of_stuck])
    return [line for row in rows for line in wrapped(f"{row[0]:10}{row[1]:9}{row[2]}".rstrip(), 19)]


def lossless_text(search: Search) -> tuple[str, str]:
    tried = len(search.tried)
    if search.failures:
        formula = "; on Fractions the law == p on every pair: the formula is right, its floats are not"
        return "no", f"not so on {search.failures:,} of {tried:,} pairs{formula if search.floats_alone_fail else ''}"
    parts = []
    if any(t.formula for t in search.tried) and not search.formula_differs:
        parts.append("on Fractions the law == p")
    if search.farthest_floats:
        count = sum(t.floats is not None for t in search.tried)
        parts.append(f"on floats ({count:,} of {tried:,} pairs)" if count < tried else "on floats")
        parts[-1] += f" {floats_text(search.farthest_floats)}"
    return "yes", "; ".join(parts)


def floats_text(found: Audit) -> str:
    """The TV of what is rounding; what no program can help is told apart."""
    if not found.rounding:
        return "its exact law is that of the right rule"
    defect = f"; the sums of p and q as floats make another {figure(found.defect / 2)}" if found.defect else ""
    return (
        f"its exact law is within {figure(found.rounding / 2)} in TV of the right one, which is rounding (a "
        f"right program can come to {figure(found.ball / 2)}: numeric/audit/pair.py){defect}"
    )


def maximal_text(search: Search) -> tuple[str, str]:
    """Is the draft accepted as often as it can be?"""
    if not search.reports_acceptance:
        return "unknown", "acceptance is not reported; return (token, accepted) to have it checked"
    if all(t.shown.maximal is None for t in search.tried):
        return "unknown", "the draft is drawn from another law than q"
    found = search.more_than_most or search.not_maximal
    if found is None or found.most is None or found.alpha is None:
        return "yes", "alpha == 1 - TV(p, q)"
    numbers = f"alpha = {show(found.alpha)} where 1 - TV(p, q) = {show(found.most)}"
    return "no", f"{numbers}, at p = {', '.join(map(show, found.p))}, q = {', '.join(map(show, found.q))}"


def length_text(search: Search) -> tuple[str, str]:
    """How many tokens come out on average, next to the standard rule token by token."""
    found = [t.shown for t in search.tried if t.shown.got.length is not None and t.shown.usual_length is not None]
    gaps = [(x.got.length or 0) - (x.usual_length or 0) for x in found]
    fewer, more = (sum(sign * gap > x.ball for gap, x in zip(gaps, found, strict=True)) for sign in (-1, 1))
    if not fewer and not more:
        return "usual", "on average as many tokens as the standard rule token by token, on every pair"
    counts = f"more on {more:,} and fewer on {fewer:,} of {len(found):,} pairs"
    word = "mixed" if fewer and more else "longer" if more else "shorter"
    return word, f"tokens on average, next to the standard rule token by token: {counts}"


def rule_lines(search: Search, about_rule: Sequence[str]) -> list[str]:
    """Named only where it emits the same on every pair."""
    if search.steps is not None:
        return []
    if search.floats_alone_fail and first_rule(search):
        return []  # it is that rule but for what fails
    if not search.rules:
        return wrapped("no known rule: none of the table emits this on every pair tried.")
    rule, ideally = first_rule(search), " with an ideal uniform number" if search.uniform != IDEAL else ""
    if rule is None:
        names = ", ".join(rule.name for rule in search.rules)
        more = "more pairs may" if search.reports_acceptance else "if acceptance is reported, they may"
        return wrapped(f"known rules: {names}; the pairs tried do not tell these apart; {more}.")
    count = f"every pair tried ({len(search.tried):,})"
    return [*wrapped(f"rule: {rule.name}: {rule.sentence}; it emits the same{ideally} on {count}.", 2), *about_rule]


def draft_lines(draft: DraftReport | None) -> list[str]:
    if draft is None:
        return []
    return [
        *wrapped(f"draft: it is not drawn from the q that it reports; TV {show(draft.tv)}", 2),
        *wrapped(f"  q given     {', '.join(map(show, draft.q))}", 4),
        *wrapped(f"  drawn from  {', '.join(map(show, draft.drawn_from))}", 4),
        *wrapped(f"  reported    {', '.join(map(show, draft.reported))}", 4),
    ]


def note_lines(search: Search) -> list[str]:
    """Each a paragraph of its own."""
    notes = []
    if FRACTION in search.dropped:
        notes.append(f"The formula by itself is not audited ({search.dropped[FRACTION]}).")
    if NUMPY in search.dropped:
        notes.append(f"The program on floats is not audited ({search.dropped[NUMPY]}).")
    if search.formula_differs and search.lossless:
        notes.append(
            "On Fractions the code is not lossless, and on floats it is, up to rounding; floats are what is judged. "
            f"The formula: {': '.join(claim_that_fails(search.formula_differs))}."
        )
    if search.always_raises:
        notes.append(
            "It raises on every pair, always: is it called as it wants to be? It gets (p, q, rng), with --protocol "
            "global (p, q), with --draft (x, p, q, rng). p and q are arrays with one entry for each token of the pair, "
            "and with --steps K functions of the prefix, p([]) being the law of the first token."
        )
    if search.more_than_most and not search.overstated:
        notes.append(
            f"More acceptance is reported than a draft from q can have ({overstated_text(search.more_than_most)}): "
            "either that is not what is reported, or the draft is not drawn from q; --draft tells these apart."
        )
    if search.program.changed:
        notes.append(
            f"It changes its argument {' and '.join(sorted(search.program.changed))} in place. Every run here got a "
            "copy of its own; where it is called there may be none."
        )
    if search.uniform != IDEAL:
        notes.append(
            f"A uniform number is a point of the grid {search.uniform}, where the program compares it; choices by "
            "weights are exact. That the grid moves mass between tokens is no fault; what is possible on it alone is."
        )
    return [line for note in notes for line in wrapped(note)]


def coverage_lines(search: Search) -> list[str]:
    rows = [[f"{x.pairs:,}" + (f" of {x.of:,}" if x.pairs < x.of else ""), x.group] for x in search.coverage]
    paths = f"up to {search.most_paths:,} paths a pair, each with its exact probability; uniform: {search.uniform}"
    stopped = wrapped(f"The search stopped there: {search.stopped}.") if search.stopped else []
    return [*aligned([["run", "pairs"], *rows]), *stopped, *wrapped(paths)]


# ---- one pair by itself


def single(found: Audit, overstated: bool = False) -> list[str]:
    """The lines on one pair; overstated: is more acceptance reported than a draft from q can have?"""
    maximal = {None: "unknown", True: "yes", False: "no"}[found.maximal]
    verdict = f"maximal: {maximal}" if found.usual_length is None else one_length_text(found)
    paths = f"{found.got.paths:,} paths, each with its exact probability; uniform: {found.uniform}"
    return [*wrapped(single_head(found, overstated)), *pair_lines(found), "", *wrapped(f"{verdict}; {paths}")]


def single_head(found: Audit, overstated: bool) -> str:
    if not found.lossless:
        return f"NOT LOSSLESS: {': '.join(claim_that_fails(found))}"
    if overstated:
        return f"WRONG: {overstated_text(found)}"
    if found.dist == found.target:
        return "LOSSLESS on this pair: the law is p."
    if found.uniform != IDEAL:
        return "LOSSLESS on this pair: what is off is the grid of the uniform numbers."
    if found.arrays in DTYPES:
        return f"LOSSLESS on this pair: on floats {floats_text(found)}."
    return "LOSSLESS on this pair: the law is that of the right rule; it is not p, as p and q have different sums."


def one_length_text(found: Audit) -> str:
    usual = show(found.usual_length or 0)
    return f"tokens a call: {show(found.got.length or 0)} on average; of the standard rule token by token {usual}"


def first_rule(search: Search) -> Rule | None:
    """The rule that fits, if there is one; where several do, these are one rule, as far as laws go, if lossless."""
    is_one = len(search.rules) == 1 or all(rule.lossless for rule in search.rules)
    return search.rules[0] if search.rules and is_one else None
