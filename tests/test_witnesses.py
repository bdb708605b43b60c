"""The stored pairs: bit for bit, as their sentences say, and each with something that hardly another one sees."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import exact
from exact.reading import LawError
from numeric import cross_check, emitted_distribution
from numeric.crosscheck import WITHIN
from numeric.mutants import CERTIFIED, MUTANTS, certified, met, seen_on
from numeric.rounding import row_sum
from numeric.witnesses import BITWISE, DISCRIMINATING, SCALED, WITNESSES, from_hex, textbook_line

ALL = (*WITNESSES, *DISCRIMINATING, *SCALED, *BITWISE)
WITNESS = {w.name: w for w in ALL}
FORMULA = {f.name: f for f in MUTANTS}

each = pytest.mark.parametrize("w", ALL, ids=lambda w: w.name)


def exactly(x):
    return [Fraction(value) for value in x.tolist()]


def sums(name):
    """S_p, S_q, R, Q of a witness, exactly."""
    p, q = exactly(WITNESS[name].p), exactly(WITNESS[name].q)
    return sum(p), sum(q), sum(exact.residual(p, q)), sum(exact.residual(q, p))


@each
def test_stored_bit_for_bit(w):
    for text, x in ((w.p_hex, w.p), (w.q_hex, w.q)):
        assert from_hex(" ".join(value.hex() for value in x.tolist())).tobytes() == x.tobytes()
        assert [float.fromhex(word) for word in text.split()] == x.tolist()
    assert w.p.dtype == w.q.dtype == np.float64
    assert w.p.shape == w.q.shape


@each
def test_small_and_with_a_sentence(w):
    assert len(w.p) <= 6 or w.name == "ten-tenths"
    assert w.sentence.endswith(".")
    assert len([v for v in ALL if v.name == w.name]) == 1


@each
def test_our_program_is_within_its_bound(w):
    assert cross_check(w.p, w.q).verdict == WITHIN


@pytest.mark.parametrize("w", [*WITNESSES, *DISCRIMINATING], ids=lambda w: w.name)
def test_laws_are_taken_as_laws(w):
    assert emitted_distribution(w.p, w.q)[0].shape == w.p.shape


@pytest.mark.parametrize("name", ["scaled", "nine-eighths"])
def test_what_is_no_law_is_for_the_inner_function(name):
    with pytest.raises(LawError, match="sums to"):
        emitted_distribution(WITNESS[name].p, WITNESS[name].q)


# ---- each is what its sentence says


def test_supports():
    p, q = WITNESS["supports"].p, WITNESS["supports"].q
    assert {(bool(a), bool(b)) for a, b in zip(p, q, strict=True)} == set(product((True, False), repeat=2))


def test_tails():
    p, q = WITNESS["tails"].p.tolist(), WITNESS["tails"].q.tolist()
    S_p, S_q, _, _ = sums("tails")
    assert (p[2:], q[2:]) == ([2**-30, 2**-66, 1e-300, 1e-300], [0, 2**-66, 0, 1e-300])
    assert abs(S_p - 1 - Fraction(1, 2**27)) < Fraction(1, 2**53)
    assert abs(S_q - 1 + Fraction(1, 2**27)) < Fraction(1, 2**53)
    dist = emitted_distribution(WITNESS["tails"].p, WITNESS["tails"].q)[0]
    assert all(abs(f / w - 1) > 2**-28 for f, w in zip(dist, p, strict=True))


def test_near():
    p, q = WITNESS["near"].p, WITNESS["near"].q
    assert (np.abs(p - q)[:3] <= np.spacing(p[:3])).all()
    assert (p[3], q[3]) == (2.0**-80, 0)
    S_q, Q = sums("near")[1::2]
    assert exact.rejection_law(p, q)[0][3] == Q / S_q
    assert round(Q / S_q / Fraction(p[3])) == 2**24


def test_small_residual():
    S_p, S_q, R, Q = sums("small-residual")
    assert (S_p, R, Q) == (S_q, Fraction(1, 2**70), Fraction(1, 2**70))
    p, q = WITNESS["small-residual"].p, WITNESS["small-residual"].q
    assert emitted_distribution(p, q)[0][2] == 2.0**-70
    assert textbook_line(p, q)[2] == 1 - row_sum(np.minimum(p, q))[0] == 0


def test_no_residual():
    S_p, S_q, R, Q = sums("no-residual")
    assert R == 0
    assert S_q - S_p == Q
    assert abs(Q - Fraction(1, 2**27)) < Fraction(1, 2**52)
    w = WITNESS["no-residual"]
    assert exact.rejection_law(w.p, w.q)[0] == [x / S_p for x in exactly(w.p)]


def test_scaled():
    w = WITNESS["scaled"]
    laws = [Fraction(4, 5) * x for x in exactly(w.p)], [Fraction(4, 3) * x for x in exactly(w.q)]
    assert laws == ([Fraction(n, 8) for n in (4, 3, 1)], [Fraction(n, 4) for n in (1, 1, 2)])
    assert sums("scaled")[:2] == (Fraction(5, 4), Fraction(3, 4))
    assert abs(cross_check(w.p, w.q).defect.size) > Fraction(1, 16)


def test_the_exact_law_of_bitwise_pairs_consists_of_floats():
    law = {w.name: exact.rejection_law(w.p, w.q)[0] for w in BITWISE}
    assert all(Fraction(float(x)) == x for dist in law.values() for x in dist)
    assert law["grid"] == WITNESS["grid"].p
    assert law["half-of-the-residual"] == [0.5 + 2.0**-30, 0.375 - 2.0**-30, 0.125]
    assert law["nine-eighths"] == [0.625, 0.25, 0.125]
    assert WITNESS["half-of-the-residual"].p.tolist() == [0.5 + 2.0**-29, 0.375 - 2.0**-30, 0.125]
    assert WITNESS["nine-eighths"].p.tolist() == [0.75, 0.25, 0.125]
    assert WITNESS["half-of-the-residual"].q.tolist() == WITNESS["nine-eighths"].q.tolist() == [0.5, 0.375, 0.125]


def test_the_grid_is_a_grid():
    assert sums("grid")[:2] == (1, 1)
    assert all((2**53 * x).denominator == 1 for law in (WITNESS["grid"].p, WITNESS["grid"].q) for x in exactly(law))


def test_ten_tenths_makes_the_textbook_line_negative():
    """-5.55e-17 in exact arithmetic, 0 in floats, where the law has a probability above 0."""
    w = WITNESS["ten-tenths"]
    p, q = exactly(w.p), exactly(w.q)
    line = min(p[-1], q[-1]) + (1 - sum(map(min, p, q))) * exact.replacement(p, q)[-1]
    assert line == Fraction(-1, 2**54)
    assert f"{float(line):.2e}" == "-5.55e-17"
    assert textbook_line(w.p, w.q)[-1] == 0
    assert exact.rejection_law(p, q)[0][-1] > 0


# ---- each earns its place

EARNS = {  # a mutant that this witness sees, and at most two others
    "supports": "ratio-0-over-0",
    "tails": "q-plus-1e-20",
    "near": "no-residual-below-1e-12",
    "small-residual": "ties-within-1e-15",
    "no-residual": "fallback-not-divided",
    "scaled": "divided-to-first-order",
    "subnormal-residual": "Q-over-R-unscaled",
}


@pytest.mark.parametrize("name", EARNS)
def test_a_witness_sees_what_hardly_another_one_sees(name):
    seen = seen_on(FORMULA[EARNS[name]], CERTIFIED, certified)
    assert name in seen
    assert len(seen) <= 3


def test_every_new_witness_earns_its_place():
    assert {w.name for w in (*DISCRIMINATING, *SCALED)} <= set(EARNS)
    bits = {w.name: [f.name for f in MUTANTS if not met(w.p, w.q, f(w.p, w.q))] for w in BITWISE}
    assert "log-space-ratio" in bits["grid"]
    assert "target" not in bits["grid"]
    assert {"target", "normalised-first", "R-for-Q"} <= set(bits["half-of-the-residual"]) & set(bits["nine-eighths"])
    assert "target-where-close" in set(bits["half-of-the-residual"]) - set(bits["nine-eighths"])
