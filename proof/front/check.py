"""`samelaw check`: the exact checks, on every small pair, on seeded larger ones, and on real text.

A `Group` is one kind of check with its coverage stated; the groups are counted apart.  Before all of them one wrong
rule goes through the same check, and a check that does not reject it is no check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from exact import emitted_distribution, total_variation
from exact.reading import Numbers, figure, show, vector
from exact.rules import RULES, SELF_CHECK_RULE, Rule, emission, law_of
from exact.search import Pair, all_pairs, count_all, count_pairs, random_pair, sampled_pairs, smallest
from exact.spans import IDEAL
from proof.progress import Progress, silent
from proof.front.text_laws import Context, Text, TextCheck, TextLaws, check_context

if TYPE_CHECKING:
    from exact.grid import Column
    from numeric.audit.following import Follow

Law = Callable[[Numbers, Numbers], tuple[Any, Any]]
SMALL, SAMPLES, ONE_IN = (3, 12), ((4, 12), (5, 8)), 100  # every pair up to (V, denominator); a seeded 1 % beyond
GRIDS = (((1, 2, 3, 4), 30), ((5,), 12))  # every pair of so many tokens up to a denominator, by tiles
DRAWN = 50  # seeded pairs of each denominator on which the tiles are compared with `exact`
SINGLE = (3, 8)  # float32 repeats the smaller pairs of SMALL
LARGE, MANY = "V <= 8, denominator <= 10^9, seeded", 2000  # and how many
RUN = (3, 3)  # every rule is run as a program on these
STATED = (3, 4)  # every line of the derivation is evaluated on these


@dataclass(frozen=True)
class Group:
    """One kind of check: what was compared, on what, how often, what failed, and figures worth reporting."""

    name: str
    claim: str
    coverage: str
    count: int
    failures: tuple[str, ...] = ()
    figures: dict[str, str] = field(default_factory=dict)


def at(pair: Pair) -> str:
    return f"p = {vector(pair.p)}, q = {vector(pair.q)}"


# ---- the check of one pair, and whether it can fail


def broken(p: Numbers, q: Numbers, law: Law = emitted_distribution) -> str | None:
    """The first observable claim that a law breaks on a pair of laws, None where it breaks none; no tolerance."""
    dist, alpha = law(p, q)
    wanted = 1 - total_variation(p, q)
    if dist == p and alpha == wanted:
        return None
    negative = [x for x, mass in enumerate(dist) if mass < 0]
    if negative:
        return f"token {negative[0]} has the probability {show(dist[negative[0]])}"
    if sum(dist) != 1:
        return f"the law sums to {show(sum(dist))}"
    return f"alpha = {show(alpha)}, not {show(wanted)}" if alpha != wanted else f"the law is {vector(dist)}"


def self_check(wrong: str = SELF_CHECK_RULE) -> tuple[Pair, str] | None:
    """The smallest pair on which the check rejects a wrong rule, and why; None: this check cannot reject.

    Both ways of checking have to reject it, and at the same pair: one pair at a time, and by tiles of a grid.

    >>> self_check()[1]
    'the law is (1/4, 3/4)'
    """
    found = smallest(lambda p, q: broken(p, q, law_of(wrong)))
    return found if found and found[0] == smallest_of_grid(wrong) else None


def smallest_of_grid(wrong: str) -> Pair | None:
    from exact import grid

    found = grid.smallest(grid.laws_of(law_of(wrong)))
    return found and found.pair


def all_groups(text: Text, seed: int, progress: Progress = silent, strict: bool = False) -> Iterator[Group]:
    """Every group, one after the other: small pairs and larger ones, exactly and in floats, statements, a text."""
    yield from exact_groups(seed, progress)
    yield from grid_groups(seed, progress)
    yield program_group(progress)
    yield from numeric_groups(seed, progress, strict)
    yield formula_group(progress)
    yield from statement_groups(seed, progress)
    yield from text_groups(text, progress, strict)


# ---- exact


def exact_groups(seed: int, progress: Progress = silent) -> Iterator[Group]:
    yield exact_group(covered(*SMALL), all_pairs(*SMALL), count_all(*SMALL), progress)
    for V, d in SAMPLES:
        yield exact_group(sampled(V, d), sampled_pairs(V, d, ONE_IN, seed), sample_size(V, d), progress)
    yield exact_group(LARGE, large_pairs(seed), MANY, progress)


def exact_group(coverage: str, pairs: Iterable[Pair], expected: int, progress: Progress) -> Group:
    count, failures = 0, []
    for count, pair in enumerate(pairs, 1):
        progress(f"exact, {coverage}", count, max(expected, count))
        reason = broken(*pair)
        failures += [f"{at(pair)}: {reason}"] if reason else []
    return Group("exact", "dist == p and alpha == 1 - TV", coverage, count, tuple(failures))


def sampled(V: int, d: int) -> str:
    return f"V = {V}, denominator <= {d}, a seeded 1 % of {count_pairs(V, d):,}"


def sample_size(V: int, d: int) -> int:
    return count_pairs(V, d) // ONE_IN


def covered(V: int, d: int) -> str:
    return f"every pair with V <= {V} and denominator <= {d}"


def large_pairs(seed: int, n: int = MANY) -> Iterator[Pair]:
    random = Random(seed)
    return (random_pair(random.randrange(2, 9), random.randrange(13, 10**9), random) for _ in range(n))


# ---- exact, by tiles


def grid_groups(seed: int, progress: Progress = silent) -> Iterator[Group]:
    """Every pair of a grid, by tiles (`exact.grid`), and the laws of the tiles themselves against `exact`."""
    for tokens, most in GRIDS:
        yield grid_group(tokens, most, progress)
    yield tile_group(seed, progress)


def grid_group(tokens: Sequence[int], most: int, progress: Progress) -> Group:
    from exact import grid

    coverage = f"every pair with V {'=' if len(tokens) == 1 else '<='} {tokens[-1]} and denominator <= {most}"
    rejected = smallest_of_grid(SELF_CHECK_RULE)
    failures = [] if rejected else [f"{SELF_CHECK_RULE} was not rejected, so this check proves nothing"]
    count, expected = 0, sum(count_pairs(V, most) for V in tokens)
    for pairs, first in grid.sweep(tokens, most):
        count += pairs
        progress(f"grid, {coverage}", count, max(expected, count))
        failures += [f"{at(first.pair)}: {off_in_tile(first)}"] if first else []
    if count != expected:
        failures.append(f"{count:,} pairs were visited, and there are {expected:,}")
    figures = {"rejects": f"{SELF_CHECK_RULE}, at {at(rejected)}"} if rejected else {}
    return Group("grid", "dist == p and alpha == 1 - TV", coverage, count, tuple(failures), figures)


def off_in_tile(column: Column) -> str | None:
    return broken(*column.pair, lambda _p, _q: (column.dist, column.alpha))


def tile_group(seed: int, progress: Progress = silent) -> Group:
    """What the tiles emit, against what the program emits, pair by pair."""
    count, expected, failures = 0, count_all(*SMALL) + DRAWN * sum(most for _, most in GRIDS), []
    for count, (pair, dist, alpha) in enumerate(tile_columns(seed), 1):
        progress("grid, against exact", count, max(expected, count))
        wanted: tuple[Any, Any] = emitted_distribution(*pair)
        if wanted != (dist, alpha):
            failures.append(f"{at(pair)}: {emission_text(dist, alpha)} in the tile, not {emission_text(*wanted)}")
    largest = " and ".join(f"with V = {tokens[-1]} up to {most}" for tokens, most in GRIDS)
    coverage = f"{covered(*SMALL)}, and {DRAWN} seeded ones over each denominator, {largest}"
    return Group("grid", "dist and alpha of the tiles == those of the program", coverage, count, tuple(failures))


def emission_text(dist: Sequence[Fraction], alpha: Fraction) -> str:
    return f"{vector(dist)} and alpha = {show(alpha)}"


def tile_columns(seed: int) -> Iterator[Column]:
    """What tiles emit on every small pair, and on seeded pairs of the largest V of each grid."""
    from exact import grid

    random, (V_most, d_most) = Random(seed), SMALL
    for V, d in product(range(1, V_most + 1), range(1, d_most + 1)):
        for tile in grid.tiles(V, d):
            yield from grid.columns(tile, grid.rejection_laws(tile))
    for tokens, most in GRIDS:
        for d in range(1, most + 1):
            tile = grid.tile_of([random_pair(tokens[-1], d, random) for _ in range(DRAWN)])
            yield from grid.columns(tile, grid.rejection_laws(tile))


# ---- programs


def program_group(progress: Progress = silent) -> Group:
    """Every rule of the table as a program that draws, audited: the law of its code is that of its formula."""
    from numeric.audit.following import following

    rules = [rule for rule in RULES.values() if not rule.reports]
    cases, failures = [*product(rules, all_pairs(*RUN))], []
    with following() as follow:
        for done, (rule, pair) in enumerate(cases, 1):
            progress("programs", done, len(cases))
            reason = off_as_a_program(rule, pair, follow)
            failures += [f"{rule.name} at {at(pair)}: {reason}"] if reason else []
    coverage = f"{len(rules)} rules as programs, along every path of each, on {covered(*RUN)}"
    return Group("programs", "the law of the code == the law of the rule", coverage, len(cases), tuple(failures))


def off_as_a_program(rule: Rule, pair: Pair, follow: Follow) -> str | None:
    """What its code emits where that is not what `emission` says."""
    from numeric.audit.pair import FRACTION, audit_pair
    from numeric.audit.program import Program
    from numeric.audit.search import sampler

    found, wanted = audit_pair(Program(sampler(rule)), *pair, FRACTION, IDEAL, follow), emission(rule, *pair)
    if (found.dist, found.alpha, found.stuck) == (tuple(wanted.dist), wanted.alpha, wanted.stuck):
        return None
    return f"{vector(found.dist)} with alpha = {show(found.alpha or 0)}, not {vector(wanted.dist)}"


# ---- statements


def statement_groups(seed: int, progress: Progress = silent) -> Iterator[Group]:
    """Every line of both derivations with both sides as Fractions, on small pairs and on seeded larger ones."""
    from proof.floating import NEW, STEPS as STEPS_AS_GIVEN
    from proof.rejection import STEPS

    laws = [*all_pairs(*STATED), *large_pairs(seed, 100)]
    coverage = f"{len(STEPS)} lines on {covered(*STATED)}, and on 100 seeded pairs with V <= 8, denominator <= 10^9"
    yield statement_group(STEPS, STEPS, laws, coverage, progress)
    vectors = [*scaled_pairs(seed, laws)]
    coverage = f"{len(NEW)} lines for any sums on the same pairs, p and q each times a seeded fraction up to 2"
    yield statement_group(STEPS_AS_GIVEN, NEW, vectors, coverage, progress)


def statement_group(
    steps: Sequence[Any], lines: Sequence[Any], sample: Sequence[Pair], coverage: str, progress: Progress
) -> Group:
    """lines: those of the steps that are evaluated; the others define what they speak of."""
    from proof.mutate import fails
    from proof.rejection import world_of

    failures: list[str] = []
    for done, pair in enumerate(sample, 1):
        progress("statements", done, len(sample))
        world = world_of(*pair, steps)
        failures += [f"{at(pair)}: {step.label} fails" for step in lines if fails(world, step)]
    return Group("statements", "left == right in every line of the derivation", coverage, len(sample), tuple(failures))


def scaled_pairs(seed: int, pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Each law times a fraction of its own: vectors that hardly ever have the same sum."""
    random = Random(seed)
    for p, q in pairs:
        a, b = (Fraction(random.randrange(1, 25), 12) for _ in "pq")
        yield Pair(Numbers(a * x for x in p), Numbers(b * x for x in q))


# ---- floats


def numeric_groups(seed: int, progress: Progress = silent, strict: bool = False) -> Iterator[Group]:
    """Our float program on the floats nearest to the pairs: each entry within its proved bound of the exact law."""
    for dtype, sums, limits in (("float64", "exact", SMALL), ("float32", "exact", SINGLE),
                                ("float64", "scalars", SINGLE), ("float64", "pairwise", SINGLE)):  # fmt: skip
        pairs = Floats(dtype, sums, covered(*limits), all_pairs(*limits), count_all(*limits))
        yield numeric_group(pairs, progress, strict)
    for V, d in SAMPLES:
        pairs = Floats("float64", "exact", sampled(V, d), sampled_pairs(V, d, ONE_IN, seed), sample_size(V, d))
        yield numeric_group(pairs, progress, strict)
    yield numeric_group(Floats("float64", "exact", LARGE, large_pairs(seed), MANY), progress, strict)


class Floats(NamedTuple):
    """Pairs to be rounded to a dtype, how to sum there, and about how many they are."""

    dtype: str
    sums: str
    coverage: str
    pairs: Iterable[Pair]
    expected: int


def numeric_group(floats: Floats, progress: Progress, strict: bool) -> Group:
    import numpy as np

    from numeric import cross_check

    total = Cross(strict)
    for done, pair in enumerate(floats.pairs, 1):
        progress(f"numeric, {floats.dtype}, {floats.coverage}", done, max(floats.expected, done))
        p, q = (np.array([x.numerator / x.denominator for x in v], floats.dtype) for v in pair)
        total.add(cross_check(p, q, sums=floats.sums, name=at(pair)))
    return total.group("numeric", f"{floats.coverage}, in {floats.dtype}, sums {floats.sums}")


class Cross:
    """Cross-checks added up, and a sentence for each that fails."""

    def __init__(self, strict: bool) -> None:
        from numeric import Summary

        self.strict, self.total = strict, Summary()
        self.failures: list[str] = []

    def add(self, check: Any) -> None:
        self.total += self.total.of([check])
        if not check.holds(self.strict):
            self.failures.append(f"{check.name}: {check.verdict}, {check.reason}")

    def group(self, name: str, coverage: str) -> Group:
        claim = "float law within the proved bound of the exact law of the floats"
        rounded, off = self.total.largest_rounding, self.total.largest_defect
        figures = {"largest rounding": f"{figure(rounded.rounding.ulps)} ulp"} if rounded and rounded.rounding else {}
        figures |= {"largest defect": figure(abs(off.defect.size))} if off else {}
        if self.total.near:
            figures["not certified, though near"] = str(self.total.near)
        return Group(name, claim, coverage, self.total.pairs, tuple(self.failures), figures)


def formula_group(progress: Progress = silent) -> Group:
    """Wrong float formulas on the stored pairs: each has to be seen, by the certificate or by its bits."""
    from numeric.mutants import stored_table

    progress("formulas", 0, 1)
    rows = stored_table()
    missed = [f"{row.name} is wrong and was not seen" for row in rows if not row.correct and not row.killed]
    alarms = [f"{row.name} is correct and was not passed" for row in rows if row.correct and row.killed]
    correct = sum(row.correct for row in rows)
    coverage = f"{len(rows) - correct} wrong float formulas and {correct} correct ones, on the stored pairs"
    claim = "each wrong one is outside the proved bound or not bit for bit, and no correct one is"
    return Group("formulas", claim, coverage, len(rows), (*missed, *alarms))


# ---- real input


def text_groups(text: Text, progress: Progress = silent, strict: bool = False) -> Iterator[Group]:
    """Every context of a text, exactly and in floats."""
    import numpy as np

    from numeric import cross_check

    laws, total, checked = TextLaws(text.words), Cross(strict), []
    for done, context in enumerate(laws, 1):
        progress("text", done, len(laws))
        checked.append(check_context(context))
        total.add(cross_check(np.array(context.p_float), np.array(context.q_float), name=named(context)))
    exact = TextCheck(tuple(checked))
    coverage = f"every context of {text.name}, digest {text.digest}: {len(text.words):,} words, {exact.tokens:,} tokens"
    failures = tuple(f"{' '.join(c.words)}: {c.reason}" for c in exact.failures)
    yield Group("text", "dist == p and alpha == 1 - TV", coverage, exact.contexts, failures, alphas(exact))
    yield total.group("text in floats", "the same contexts, in float64")


def named(context: Context) -> str:
    return f"after {' '.join(context.words)!r}"


def alphas(exact: TextCheck) -> dict[str, str]:
    quartiles = ", ".join(figure(exact.quartile(k)) for k in range(5))
    return {
        "alpha: smallest, quartiles, largest": quartiles,
        "alpha: mean": figure(exact.mean),
        "alpha = 0": f"{figure(100 * exact.share_zero)} %",
        "tokens on both sides that the other never proposes": f"{exact.two_sided:,} contexts",
    }
