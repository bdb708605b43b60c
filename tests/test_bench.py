"""The contestants of tests/bench.py compute one and the same law, and what did not run is said not to have; untimed."""

import sys
from fractions import Fraction

import bench
import numpy as np
import pytest
from numeric import cross_check
from numeric.crosscheck import WITHIN


def as_fraction(x):
    """gmpy2, flint and SymPy: p, q; numerator and denominator as attributes, or as methods."""
    n, d = (x.p, x.q) if hasattr(x, "p") else (x.numerator, x.denominator)
    return Fraction(*(int(part() if callable(part) else part) for part in (n, d)))


def law_of(result):
    dist, *total, alpha = result
    return [as_fraction(x) / as_fraction(*total or [1]) for x in dist], as_fraction(alpha)


EXACT = ("exact law", "exact law, whole", *(f"naive, {name}" for name in bench.numbers()))


@pytest.mark.parametrize("table", [*bench.law_at_vocabulary_scale(V=40), *bench.rational_input(V=12)])
def test_every_kind_of_number_gives_the_exact_law(table):
    laws = {name: law_of(run()) for name, run in table.runs.items() if run and name in EXACT}
    assert {"exact law", "exact law, whole", "naive, Fraction", "naive, sympy.Rational"} <= set(laws)
    assert all(law == laws["naive, Fraction"] for law in laws.values())


def test_identical_laws_take_the_fallback():
    p = [Fraction(1, 4), Fraction(3, 4)]
    assert bench.naive_law(p, p) == (p, 1)
    dist, alpha = bench.naive_float_law(np.array([[0.25, 0.75]]), np.array([[0.25, 0.75]]))
    assert (dist.tolist(), alpha.tolist()) == ([[0.25, 0.75]], [1.0])


def test_both_checks_pass_what_is_right_and_refuse_what_is_wrong():
    (table,) = bench.law_at_vocabulary_scale(V=40)
    assert table.runs["exact law and certificate"]().verdict == WITHIN
    assert table.runs["naive, Fraction, and check"]() is True
    p, q = (x[0] for x in bench.float_pair(40))
    assert cross_check(p, q, dist=q).verdict != WITHIN
    assert bench.naive_check(p, q, q) is False


def test_the_float_laws_are_within_the_bound_of_the_exact_one():
    p, q = bench.float_pair(50, rows=3)
    runs = {name: run() for table in bench.float_law(V=50, bars={3: 1}) for name, run in table.runs.items()}
    assert len(runs) == 1 + len(bench.SUMS)
    for dist, alpha in runs.values():
        assert all(cross_check(*row).verdict == WITHIN for row in zip(p, q, dist, alpha, strict=True))


@pytest.mark.parametrize("name", bench.PROGRAMS)
def test_a_library_gives_the_exact_law(name, need):
    need(name, bench.peer(name))
    for table in bench.libraries_of_laws(V=20):
        dist, _ = table.runs["exact law"]()
        for form in ("program", "mixture"):
            assert probabilities(name, table.runs[f"{name}, {form}"](), 20) == list(dist)


@pytest.mark.parametrize("name", bench.PROGRAMS)
def test_a_library_cuts_nothing_off(name, need):
    need(name, bench.peer(name))
    for law in (bench.PROGRAMS[name], bench.MIXTURES[name]):
        emitted = law(bench.peer(name), [2**40, 1, 1], [1, 2**40, 1])
        assert probabilities(name, emitted, 3) == [Fraction(n, 2**40 + 2) for n in (2**40, 1, 1)]


def probabilities(name, law, V):
    if name == "lea":
        return [Fraction(law.pmf_dict().get(x, 0)) for x in range(V)]
    total = law.denominator() if name == "icepool" else law.total
    return [Fraction(law.get(x, 0), total) for x in range(V)]


def test_the_two_spreads_are_what_they_are_called():
    near, far = (
        law(bench.VOCABULARY, np.random.default_rng(0)) for law in (bench.in_one_binade, bench.over_300_powers_of_ten)
    )
    assert len(set(np.frexp(near)[1].tolist())) == 1
    assert np.log10(far.max() / far.min()) > 299


def test_the_rationals_are_laws_and_their_denominators_differ():
    vectors = [run.args[1:] for table in bench.rational_input(V=30) for run in [table.runs["exact law"]]]
    one, many, any_sums = vectors
    assert [sum(x) for x in (*one, *many)] == [1] * 4
    assert all(0 < sum(x) < 1 for x in any_sums)
    assert all(min(x) >= 0 and len({v.denominator for v in x}) > 20 for x in (*many, *any_sums))
    assert all(10**6 % v.denominator == 0 for x in one for v in x)


# ---- what is printed


def test_a_missing_library_is_not_run(monkeypatch):
    for module in bench.LIBRARIES:
        monkeypatch.setitem(sys.modules, module, None)
    assert "icepool not installed" in bench.versions()
    assert "flint.fmpq" in [name for name, number in bench.numbers().items() if number is None]
    for table in bench.libraries_of_laws(V=5):
        text = bench.report(table, {"exact law": [bench.Turn(1.0)]})
        absent = [line.split()[0] for line in text.splitlines() if line.endswith("  not run")]
        assert absent == ["icepool,", "dyce,", "lea,"] * 2
        assert "icepool, program or dyce, program or lea, program / exact law: not run" in text


def test_a_missed_bar_is_said_to_be_missed():
    (table,) = bench.spread_of_exponents(V=100)
    near, far = table.runs
    text = bench.report(table, {near: [bench.Turn(1.0)] * 3, far: [bench.Turn(t) for t in (9.0, 4.0, 3.0)]})
    assert text.endswith("x4.00, wanted at most x4")
    text = bench.report(table, {near: [bench.Turn(1.0)], far: [bench.Turn(4.5)]})
    assert text.endswith("x4.50, wanted at most x4: missed")


def test_what_the_operating_system_took_is_told_apart():
    (table,) = bench.spread_of_exponents(V=100)
    near, far = table.runs
    text = bench.report(table, {near: [bench.Turn(1.0)], far: [bench.Turn(5.0, 3.0)] * 3})
    assert "60% of it in the operating system" in text
    assert text.splitlines()[-2].endswith("x5.00, wanted at most x4: missed")
    assert text.endswith(f"without the system, {far} / {near}: x2.00, wanted at most x4")


def test_turns_are_taken_and_slow_contestants_take_fewer(monkeypatch):
    seconds = {"quick": 0.01, "slow": 1.0, "slower": 3.0, "slowest": 20.0}
    calls = []
    monkeypatch.setattr(bench, "cpu", lambda name, n=1: calls.append((name, n)) or bench.Turn(seconds[name]))
    times = bench.interleaved({name: name for name in seconds} | {"absent": None})
    assert {name: len(t) for name, t in times.items()} == {"quick": 7, "slow": 3, "slower": 2, "slowest": 1}
    assert calls[:4] == [(name, 1) for name in seconds]
    assert [name for name, _ in calls[4:]] == [
        *("quick", "quick", "quick", "slow", "quick", "slower", "quick", "quick", "slow", "quick")
    ]
    assert ("quick", 5) in calls


def test_an_unknown_section_is_named():
    with pytest.raises(SystemExit, match="no section nothing: there are exact, memory, "):
        bench.main(["nothing"])


def test_every_section_makes_its_tables():
    assert set(bench.SECTIONS) == {"exact", "memory", "spread", "libraries", "rationals", "floats", "grid"}
    (memory,) = bench.memory_of_the_law(V=64)
    assert "bytes a token, wanted at most 64" in bench.report(memory, {})
    (grid,) = bench.grid_of_pairs(V=3, d=4, few=2)
    tiles, single = grid.runs
    assert grid.runs[tiles]().pairs == grid.lines[0].number
    assert len(grid.runs[single]()) == grid.lines[1].number
