"""What the exact law and the float law cost, as ratios: python tests/bench.py [SECTION...].

In one run the contestants of a section take turns, so that a busy machine slows all of them alike; each is given by
the median of its turns, in CPU time.  Where a ratio was asked for, that stands beside it, and "missed" where it is not
met.  A library that is not installed is "not run"; none of them is a dependency.  Nothing here is a test: no time is
asserted anywhere; that the contestants compute the same law is (`tests/test_bench.py`).
"""

from __future__ import annotations

import gc
import os
import platform
import sys
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from importlib import import_module
from importlib.metadata import version
from math import lcm
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import sympy
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent))

import exact
import numeric
from exact import grid
from exact.search import pairs_with_denominator
from numeric.rounding import bound

Floats: TypeAlias = NDArray[np.float64]
Run: TypeAlias = Callable[[], Any]
Times: TypeAlias = Mapping[str, float]

SEED = 1
VOCABULARY = 128_256
TURNS = 7
PAUSES = {0.5: 1, 2.5: 3, 8.0: 4}  # seconds a call, below which a contestant runs every turn, every third, fourth
TURN = 0.05  # seconds: a quick contestant is called again until its turn has lasted about so long

SUMS = ("pairwise", "exact", "scalars")
BATCHES = {1: 1.5, 16: 2.0, 256: 3.0}  # and what is asked of "pairwise" there

LIBRARIES = {"gmpy2": "gmpy2", "flint": "python-flint", "lea": "lea", "icepool": "icepool", "dyce": "dyce"}


def peer(module: str) -> Any:
    """A library that may not be installed; None where it is not."""
    try:
        return import_module(module)
    except ImportError:
        return None


# ---- the laws


def float_pair(V: int, rows: int = 1) -> tuple[Floats, Floats]:
    """[rows, V]: a target that is Zipf-like, as over words, and a draft that is off by a factor of e here and there."""
    rng = np.random.default_rng(SEED)
    weights = np.exp(3 * rng.standard_normal((rows, V)))
    return normalised(weights), normalised(weights * np.exp(rng.standard_normal((rows, V))))


def normalised(weights: Floats) -> Floats:
    return weights / weights.sum(axis=-1, keepdims=True)  # type: ignore[no-any-return]


def in_one_binade(V: int, rng: np.random.Generator) -> Floats:
    return normalised(rng.uniform(1, 1.02, V))


def over_300_powers_of_ten(V: int, rng: np.random.Generator) -> Floats:
    return normalised(10 ** rng.uniform(-300, 0, V))


def of_one_denominator(V: int, rng: Random, D: int = 10**6) -> list[Fraction]:
    cuts = sorted(rng.randint(0, D) for _ in range(V - 1))
    return [Fraction(b - a, D) for a, b in zip([0, *cuts], [*cuts, D], strict=True)]


def of_many_denominators(V: int, rng: Random, D: int = 10**6) -> list[Fraction]:
    """A denominator of its own, D/2 to D, for every token; the sum is below 1."""
    denominators = [rng.randint(D // 2, D) for _ in range(V)]
    return [Fraction(rng.randint(d // (2 * V), d // V), d) for d in denominators]


def completed(x: list[Fraction]) -> list[Fraction]:
    """The last token takes what is left: its denominator is the common one, of thousands of bits."""
    return [*x[:-1], 1 - exact.reading.total(exact.reading.Numbers(x[:-1]))]


def as_weights(p: Sequence[Fraction], q: Sequence[Fraction]) -> tuple[list[int], list[int]]:
    scale = lcm(*(x.denominator for x in [*p, *q]))
    return [int(x * scale) for x in p], [int(x * scale) for x in q]


# ---- the naive contestants


def naive_law(p: Sequence[Any], q: Sequence[Any]) -> tuple[list[Any], Any]:
    """The law in any exact numbers, as a person would write it down from the formula."""
    m = [min(a, b) for a, b in zip(p, q, strict=True)]
    r = [max(a - b, 0) for a, b in zip(p, q, strict=True)]
    Q = sum(max(b - a, 0) for a, b in zip(p, q, strict=True))
    R, S_p, S_q = sum(r), sum(p), sum(q)
    if R == 0:
        return [x / S_p for x in p], sum(m) / S_q
    return [(m_i + r_i * Q / R) / S_q for m_i, r_i in zip(m, r, strict=True)], sum(m) / S_q


def naive_law_of_floats(number: Callable[[float], Any], p: Floats, q: Floats) -> tuple[list[Any], Any]:
    return naive_law([number(x) for x in p.tolist()], [number(x) for x in q.tolist()])


def naive_check(p: Floats, q: Floats, computed: NDArray[Any]) -> bool:
    """Is every token of a float result within its bound?  k u / (1 - k u) has fewer digits than (1+u)^k - 1."""
    k, _, slack = bound(len(p), "float64", "pairwise", native=False)  # what `cross_check` judges by
    dist, _ = naive_law_of_floats(Fraction, p, q)
    within = Fraction(k, 2**53 - k)
    return all(abs(Fraction(f) - d) <= within * d + slack for f, d in zip(computed.tolist(), dist, strict=True))


def naive_float_law(p: Floats, q: Floats) -> tuple[Floats, Floats]:
    """[..., V] in NumPy floats, as a person would write it; the same form stands for all bars."""
    m, r = np.minimum(p, q), np.maximum(p - q, 0)
    R = r.sum(axis=-1, keepdims=True)
    Q = np.maximum(q - p, 0).sum(axis=-1, keepdims=True)
    S_p, S_q = p.sum(axis=-1, keepdims=True), q.sum(axis=-1, keepdims=True)
    redrawn = r * (Q / np.where(R > 0, R, 1))
    return np.where(R > 0, (m + redrawn) / S_q, p / S_p), m.sum(axis=-1) / S_q[..., 0]


def numbers() -> dict[str, Callable[[Any], Any] | None]:
    """Kinds of exact numbers, each as what reads a float or a Fraction exactly; None where it is not installed."""
    gmpy2, flint = peer("gmpy2"), peer("flint")
    return {
        "Fraction": Fraction,
        "gmpy2.mpq": gmpy2 and gmpy2.mpq,
        "flint.fmpq": flint and (lambda x: flint.fmpq(*x.as_integer_ratio())),
        "sympy.Rational": sympy.Rational,
    }


# ---- the libraries of discrete laws
#
# What their users would write is the program itself: draw the draft; toss its coin, which is accepted with p of q
# where p < q; put a law in the place of the rejected.  The rejected are one outcome before they are replaced: with a
# law for each of them the work would grow as V^2.  All are given integer weights, over the common denominator of p and
# q (for floats a power of two), made beforehand.  Less of the program is left in "mixture": there min(p, q) and the
# rejected mass are worked out by hand, and all that the library does is to mix.  The tokens are 0..V-1.

REJECTED = -1
Weights: TypeAlias = list[int]


def excess(p: Weights, q: Weights) -> dict[int, int]:
    return {x: a - b for x, (a, b) in enumerate(zip(p, q, strict=True)) if a > b}


def accepted_or_not(p: Weights, q: Weights) -> dict[int, int]:
    kept = {x: min(a, b) for x, (a, b) in enumerate(zip(p, q, strict=True))}
    return kept | {REJECTED: sum(q) - sum(kept.values())}


def icepool_program(icepool: Any, p: Weights, q: Weights) -> Any:
    def coin(x: int) -> Any:
        return x if p[x] >= q[x] else icepool.Die({x: p[x], REJECTED: q[x] - p[x]})

    return icepool.Die(dict(enumerate(q))).map(coin).map({REJECTED: icepool.Die(excess(p, q))})


def icepool_mixture(icepool: Any, p: Weights, q: Weights) -> Any:
    return icepool.Die(accepted_or_not(p, q)).map({REJECTED: icepool.Die(excess(p, q))})


def dyce_program(dyce: Any, p: Weights, q: Weights) -> Any:
    def coin(drawn: Any) -> Any:
        x = drawn.outcome
        return x if p[x] >= q[x] else dyce.H({x: p[x], REJECTED: q[x] - p[x]})

    return dyce_replaced(dyce, dyce_expanded(dyce, coin, dyce.H(dict(enumerate(q)))), p, q)


def dyce_mixture(dyce: Any, p: Weights, q: Weights) -> Any:
    return dyce_replaced(dyce, dyce.H(accepted_or_not(p, q)), p, q)


def dyce_replaced(dyce: Any, kept: Any, p: Weights, q: Weights) -> Any:
    redraw = dyce.H(excess(p, q))
    return dyce_expanded(dyce, lambda drawn: redraw if drawn.outcome == REJECTED else drawn.outcome, kept)


def dyce_expanded(dyce: Any, callback: Callable[[Any], Any], source: Any) -> Any:
    """Without a least probability: by default, branches below 2^-23 are cut off."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that `expand` is experimental
        return dyce.expand(callback, source, min_path_probability=Fraction(0))


def lea_program(lea: Any, p: Weights, q: Weights) -> Any:
    def coin(x: int) -> Any:
        return x if p[x] >= q[x] else lea.pmf({x: p[x], REJECTED: q[x] - p[x]}, prob_type="r")

    return lea_replaced(lea, lea.pmf(dict(enumerate(q)), prob_type="r").switch_func(coin).calc(), p, q)


def lea_mixture(lea: Any, p: Weights, q: Weights) -> Any:
    return lea_replaced(lea, lea.pmf(accepted_or_not(p, q), prob_type="r"), p, q)


def lea_replaced(lea: Any, kept: Any, p: Weights, q: Weights) -> Any:
    return lea.if_(kept == REJECTED, lea.pmf(excess(p, q), prob_type="r"), kept).calc()


PROGRAMS = {"icepool": icepool_program, "dyce": dyce_program, "lea": lea_program}
MIXTURES = {"icepool": icepool_mixture, "dyce": dyce_mixture, "lea": lea_mixture}


# ---- ours


def lazy(law: Callable[[Any, Any], Any], p: Any, q: Any) -> tuple[Any, Any]:
    """A law of ours: alpha is there, and an entry when it is looked at."""
    dist, alpha = law(p, q)
    _ = dist[len(dist) // 2]
    return dist, alpha


def whole(law: Callable[[Any, Any], Any], p: Any, q: Any) -> tuple[list[Any], Any, Any]:
    """Every entry, over the common denominator."""
    dist, alpha = law(p, q)
    return list(dist.weights), dist.total, alpha


# ---- what a section prints


class Line(Protocol):
    def text(self, times: Times) -> str: ...


class Ratio(NamedTuple):
    """Time of the fastest of these over the time of that; `wanted` at least, or, with `most`, at most."""

    of: tuple[str, ...]
    over: str
    wanted: float | None = None
    most: bool = False

    def text(self, times: Times) -> str:
        """
        >>> Ratio(("naive", "other"), "ours", 400).text({"naive": 8, "other": 4, "ours": 0.008})
        'other / ours: x500, wanted x400'
        >>> Ratio(("naive",), "ours", 400).text({"naive": 2, "ours": 0.01})
        'naive / ours: x200, wanted x400: missed'
        >>> Ratio(("ours",), "naive", 12, most=True).text({"naive": 1, "ours": 2.5})
        'ours / naive: x2.50, wanted at most x12'
        >>> Ratio(("peer",), "ours").text({"ours": 2.5})
        'peer / ours: not run'
        """
        ran = [name for name in self.of if name in times]
        if not ran or self.over not in times:
            return f"{' or '.join(self.of)} / {self.over}: not run"
        fastest = min(ran, key=times.__getitem__)
        x = times[fastest] / times[self.over]
        return f"{fastest} / {self.over}: x{figure(x)}{judged(x, self.wanted, self.most, 'x')}"


class Rate(NamedTuple):
    """So many things were done in a run."""

    run: str
    number: int
    things: str

    def text(self, times: Times) -> str:
        """
        >>> Rate("tiles", 10**8, "pairs").text({"tiles": 2})
        'tiles: 5.0e+07 pairs a second'
        """
        return f"{self.run}: {self.number / times[self.run]:.1e} {self.things} a second"


class Memory(NamedTuple):
    """The largest memory that a run holds at once, beyond its inputs, per token."""

    run: Run
    V: int
    most: float

    def text(self, times: Times) -> str:  # noqa: ARG002 - a line like the others
        """
        >>> Memory(lambda: bytearray(20_000), 100, 64).text({}).endswith(" bytes a token, wanted at most 64: missed")
        True
        """
        tracemalloc.start()
        try:
            self.run()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        return f"{figure(peak / self.V)} bytes a token{judged(peak / self.V, self.most, most=True)}"


def judged(x: float, wanted: float | None, most: bool = False, sign: str = "") -> str:
    if wanted is None:
        return ""
    met = x <= wanted if most else x >= wanted
    return f", wanted {'at most ' * most}{sign}{wanted:g}{'' if met else ': missed'}"


def figure(x: float) -> str:
    """Three digits.

    >>> figure(412.3), figure(41.23), figure(1.495), figure(0.04)
    ('412', '41.2', '1.50', '0.0400')
    """
    return f"{x:,.0f}" if x >= 100 else f"{x:#.3g}"


def duration(seconds: float) -> str:
    """
    >>> duration(3.21), duration(0.00321), duration(0.000321)
    ('3.21 s', '3.21 ms', '321 us')
    """
    for scale, unit in ((1, "s"), (1e3, "ms")):
        if seconds * scale >= 1:
            return f"{figure(seconds * scale)} {unit}"
    return f"{figure(seconds * 1e6)} us"


# ---- the sections: each one or more tables, whose contestants run together


@dataclass(frozen=True)
class Table:
    title: str
    runs: Mapping[str, Run | None] = field(default_factory=dict)  # None: not installed
    lines: Sequence[Line] = ()


def law_at_vocabulary_scale(V: int = VOCABULARY) -> Iterator[Table]:
    p, q = (x[0] for x in float_pair(V))
    computed, _ = numeric.rejection_law(p, q)
    kinds = {f"naive, {name}": number for name, number in numbers().items()}
    runs: dict[str, Run | None] = {
        "exact law": partial(lazy, exact.emitted_distribution, p, q),
        "exact law, whole": partial(whole, exact.emitted_distribution, p, q),
        "exact law and certificate": partial(numeric.cross_check, p, q, dist=computed),
        "naive, NumPy floats": partial(naive_float_law, p, q),
        **{name: number and partial(naive_law_of_floats, number, p, q) for name, number in kinds.items()},
        "naive, Fraction, and check": partial(naive_check, p, q, computed),
    }
    lines = [
        Ratio(("naive, Fraction",), "exact law", 400),
        Ratio(("naive, Fraction, and check",), "exact law and certificate", 300),
        Ratio(("exact law",), "naive, NumPy floats", 12, most=True),
        Ratio(("naive, Fraction",), "exact law, whole"),
        *(Ratio((name,), "exact law") for name in kinds if name != "naive, Fraction"),
    ]
    yield Table(f"the exact law of float64 vectors, V = {V:,}", runs, lines)


def memory_of_the_law(V: int = 256_000) -> Iterator[Table]:
    p, q = (x[0] for x in float_pair(V))
    run = partial(lazy, exact.emitted_distribution, p, q)
    run()  # what is loaded once is no part of it
    yield Table(f"memory of the exact law beyond its inputs, at its peak, V = {V:,}", lines=[Memory(run, V, 64)])


def spread_of_exponents(V: int = VOCABULARY) -> Iterator[Table]:
    rng = np.random.default_rng(SEED)
    laws = {"in one binade": in_one_binade, "over 300 powers of ten": over_300_powers_of_ten}
    runs = {name: partial(lazy, exact.emitted_distribution, law(V, rng), law(V, rng)) for name, law in laws.items()}
    near, far = runs
    lines = [Ratio((far,), near, 4, most=True)]
    yield Table(f"the exact law where the exponents of the probabilities are spread, V = {V:,}", runs, lines)


def libraries_of_laws(V: int = 1_000) -> Iterator[Table]:
    """The bar is on float vectors: they are what a verifier has."""
    p, q = (x[0] for x in float_pair(V))
    dyadic = as_weights([Fraction(x) for x in p.tolist()], [Fraction(x) for x in q.tolist()])
    ours = partial(lazy, exact.emitted_distribution, p, q)
    yield against_libraries(f"float64 vectors, V = {V:,}", ours, dyadic, 100)
    decimal = as_weights(*(of_one_denominator(V, Random(SEED + i)) for i in range(2)))
    ours = partial(lazy, exact.rejection_law, *decimal)
    yield against_libraries(f"integer weights that sum to 10^6, V = {V:,}", ours, decimal)


def against_libraries(what: str, ours: Run, weights: tuple[Weights, Weights], wanted: float | None = None) -> Table:
    programs, mixtures = (
        {f"{name}, {form}": with_library(name, law, *weights) for name, law in laws.items()}
        for form, laws in (("program", PROGRAMS), ("mixture", MIXTURES))
    )
    runs: dict[str, Run | None] = {"exact law": ours, **programs, **mixtures}
    lines = [Ratio(tuple(programs), "exact law", wanted), Ratio(tuple(mixtures), "exact law")]
    return Table(f"libraries of discrete laws on {what}", runs, lines)


def with_library(name: str, law: Callable[[Any, Weights, Weights], Any], p: Weights, q: Weights) -> Run | None:
    library = peer(name)
    return library and partial(law, library, p, q)


def rational_input(V: int = 2_000) -> Iterator[Table]:
    laws = [of_one_denominator(V, Random(SEED + i)) for i in range(2)]
    yield of_rationals(f"over 10^6, V = {V:,}", exact.emitted_distribution, *laws)
    vectors = [of_many_denominators(V, Random(SEED + i)) for i in range(2)]
    laws = [completed(x) for x in vectors]
    yield of_rationals(f"over independent denominators <= 10^6, V = {V:,}", exact.emitted_distribution, *laws)
    yield of_rationals(f"over the same, with sums below 1, V = {V:,}", exact.rejection_law, *vectors)


def of_rationals(title: str, ours: Callable[[Any, Any], Any], p: list[Fraction], q: list[Fraction]) -> Table:
    """Each kind of number is given its own, and reads nothing."""
    kinds = {f"naive, {name}": number for name, number in numbers().items()}
    runs: dict[str, Run | None] = {
        "exact law": partial(lazy, ours, p, q),
        "exact law, whole": partial(whole, ours, p, q),
        **{name: k and partial(naive_law, list(map(k, p)), list(map(k, q))) for name, k in kinds.items()},
    }
    lines = [Ratio((name,), "exact law", 300 if name == "naive, Fraction" else None) for name in kinds]
    return Table(f"rationals {title}", runs, [*lines, Ratio(("naive, Fraction",), "exact law, whole")])


def float_law(V: int = VOCABULARY, bars: Mapping[int, float] = BATCHES) -> Iterator[Table]:
    p, q = float_pair(V, min(16, max(bars)))
    for batch, bar in bars.items():
        a, b = (np.tile(x, (-(-batch // len(x)), 1))[:batch] for x in (p, q))
        ours = {f"sums={sums}": partial(numeric.rejection_law, a, b, sums) for sums in SUMS}
        lines = [Ratio(("naive",), name, bar if name == "sums=pairwise" else None) for name in ours]
        naive_float_law(a, b)  # the pages that a machine hands out for the first time can cost seconds
        runs: dict[str, Run | None] = {"naive": partial(naive_float_law, a, b), **ours}
        yield Table(f"the law in float64, batch {batch}, V = {V:,}", runs, lines)


def grid_of_pairs(V: int = 4, d: int = 24, few: int = 3) -> Iterator[Table]:
    pairs = list(pairs_with_denominator(V, few))
    tiles, single = f"in tiles, d = {d}", f"one by one, d = {few}"
    runs: dict[str, Run] = {
        tiles: partial(grid.check, V, d),
        single: lambda: [exact.rejection_law(*pair) for pair in pairs],
    }
    lines = [Rate(tiles, grid.check(V, d).pairs, "pairs"), Rate(single, len(pairs), "pairs")]
    yield Table(f"every pair with V = {V} and denominator d", runs, lines)


SECTIONS: dict[str, Callable[[], Iterator[Table]]] = {
    "exact": law_at_vocabulary_scale,
    "memory": memory_of_the_law,
    "spread": spread_of_exponents,
    "libraries": libraries_of_laws,
    "rationals": rational_input,
    "floats": float_law,
    "grid": grid_of_pairs,
}


# ---- taking turns


class Turn(NamedTuple):
    """Seconds of CPU time a call, and those among them that the operating system took: to hand out memory, mostly."""

    seconds: float
    system: float = 0.0


def cpu(run: Run, calls: int = 1) -> Turn:
    start, system = process_time(), os.times().system
    for _ in range(calls):
        run()
    return Turn((process_time() - start) / calls, (os.times().system - system) / calls)


def interleaved(runs: Mapping[str, Run | None]) -> dict[str, list[Turn]]:
    """All turns; the garbage collector rests meanwhile, as in timeit."""
    gc.collect()
    gc.disable()
    try:
        return in_turns({name: run for name, run in runs.items() if run})
    finally:
        gc.enable()


def in_turns(runs: Mapping[str, Run]) -> dict[str, list[Turn]]:
    """The first call warms a contestant up; of a slow one it is a turn, too."""
    first = {name: cpu(run) for name, run in runs.items()}
    turns = {name: [t] if pause(t.seconds) > 1 else [] for name, t in first.items()}
    for turn in range(1, TURNS + 1):
        for name, run in runs.items():
            if turn % pause(first[name].seconds) == 0:
                turns[name].append(cpu(run, max(1, int(TURN / first[name].seconds))))
    return turns


def pause(seconds: float) -> int:
    """The first call of a slow contestant counts, so that seven, three, two times or one are taken.

    >>> pause(0.1), pause(1), pause(3), pause(10) > TURNS
    (1, 3, 4, True)
    """
    return next((turns for limit, turns in PAUSES.items() if seconds < limit), TURNS + 1)


def report(table: Table, turns: Mapping[str, Sequence[Turn]]) -> str:
    times = {name: median(turn.seconds for turn in ts) for name, ts in turns.items()}
    width = max(map(len, table.runs), default=0)
    rows = (
        f"{name:{width}}  {duration(times[name]):>8}  {taken(turns[name])}"
        if name in turns
        else f"{name:{width}}  {'not run':>8}"
        for name in table.runs
    )
    lines = [table.title, *rows, *(line.text(times) for line in table.lines)]
    if any(map(system_share, turns.values())):
        own = {name: median(turn.seconds - turn.system for turn in ts) for name, ts in turns.items()}
        lines += [f"without the system, {line.text(own)}" for line in table.lines]
    return "\n  ".join(lines)


def system_share(turns: Sequence[Turn]) -> float:
    """How much of the time the operating system took; 0 where it is a quarter or less: its clock is coarse."""
    share = sum(turn.system for turn in turns) / sum(turn.seconds for turn in turns)
    return share if share > 0.25 else 0.0


def taken(turns: Sequence[Turn]) -> str:
    """
    >>> taken([Turn(4.0, 3.0), Turn(2.0, 1.5)]), taken([Turn(1.0)])
    ('2 turns, 75% of it in the operating system', '1 turn')
    """
    share = system_share(turns)
    told = f", {share:.0%} of it in the operating system" if share else ""
    return f"{len(turns)} turn{'s' * (len(turns) > 1)}{told}"


def versions() -> str:
    installed = [f"{name} {version(name) if peer(module) else 'not installed'}" for module, name in LIBRARIES.items()]
    ours = [f"Python {platform.python_version()}", f"NumPy {np.__version__}", f"SymPy {sympy.__version__}"]
    return ", ".join([*ours, *installed])


def main(names: Sequence[str]) -> None:
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        raise SystemExit(f"no section {unknown[0]}: there are {', '.join(SECTIONS)}")
    print(f"{versions()}; seed {SEED}; medians of CPU time per call", flush=True)
    for name in names or SECTIONS:
        for table in SECTIONS[name]():
            print(f"\n{name}: {report(table, interleaved(table.runs))}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
