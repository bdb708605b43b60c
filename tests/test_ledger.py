"""The ledger adds up exactly, the certificate is exact, laws are named; each is shown failing."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exact
from exact.dyadic import float_law
from exact.reading import LawError
from exact.rules import RULES, emission
from numeric import cross_check
from numeric.certificate import certificate, largest_defect, ulp, ulps
from numeric.ledger import computed_letters, ledger, operations
from numeric.naming import ANOTHER_LAW, NO_KNOWN_LAW, NON_DISCRIMINATING, RIGHT, ROUNDING_ONLY, naming
from numeric.rejection import rejection_law
from numeric.rounding import PRECISIONS, SUMS, bound
from numeric.witnesses import BITWISE, DISCRIMINATING, SCALED, WITNESSES, witness
from test_numeric import as_float, float_pairs, random_pairs

WAYS = pytest.mark.parametrize("sums", SUMS)


# ---- the ledger


@WAYS
@pytest.mark.parametrize("dtype", PRECISIONS)
def test_the_ledger_adds_up_with_nothing_left_over(dtype, sums):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    for p, q in random_pairs(np.float64, (1, 2, 3, 9, 50, 300)):
        p, q = as_float(p, dtype), as_float(q, dtype)
        for token in range(min(len(p), 9)):
            book = ledger(p, q, token, sums)
            assert book.balance == 0
            assert book.beyond() == []
            assert book.result == Fraction(float(rejection_law(p, q, sums)[0][token]))
            assert book.defect == float_law(p, q).dist[token] - book.target


@given(float_pairs(), st.integers(0, 11), st.sampled_from(SUMS))
def test_the_ledger_of_whatever_goes_in_adds_up(pair, token, sums):
    p, q = pair
    book = ledger(p, q, token % len(p), sums)
    assert (book.balance, book.beyond()) == (0, [])


@WAYS
def test_every_operation_but_a_sum_in_the_tree_is_allowed_half_a_unit_in_the_last_place(sums):
    book = ledger([0.75, 0.25, 0.0], [0.5, 0.25, 2.0**-600], 0, sums)
    once = [e for e in book.entries if sums != "pairwise" or e.letter not in ("R", "Q", "S_q")]
    assert [e.letter for e in once if 2 * e.allowed != ulp(e.computed, "float64")] == []


@WAYS
@pytest.mark.parametrize("w", [*WITNESSES, *DISCRIMINATING, *SCALED, *BITWISE], ids=lambda w: w.name)
def test_the_ledger_of_the_witnesses_adds_up(w, sums):
    for token in range(len(w.p)):
        book = ledger(w.p, w.q, token, sums)
        assert (book.balance, book.beyond()) == (0, [])


def test_a_ledger_with_a_wrong_entry_does_not_balance_and_an_operation_that_is_off_is_beyond():
    book = ledger([0.1, 0.2, 0.7], [0.3, 0.3, 0.4], 2)
    first, *rest = book.entries
    off = replace(book, entries=(first._replace(share=first.share + Fraction(1, 2**80)), *rest))
    assert off.balance == -Fraction(1, 2**80)
    off = replace(book, entries=(first._replace(rounding=ulp(first.computed, "float64")), *rest))
    assert [entry.letter for entry in off.beyond()] == ["r"]


def test_the_ledger_names_the_letters_of_each_evaluation():
    pair = [0.1, 0.2, 0.7], [0.3, 0.3, 0.4]
    letters = {sums: [entry.letter for entry in ledger(*pair, 2, sums).entries] for sums in SUMS}
    assert letters["exact"] == letters["pairwise"] == ["r", "R", "Q", "S_q", "t", "y", "z", "dist"]
    assert letters["scalars"] == ["r", "c", "s", "y", "z", "dist"]
    assert [entry.letter for entry in ledger(pair[0], pair[0], 2).entries] == ["S_p", "dist"]
    half = np.array(pair, np.float32).astype(np.float16)
    assert [entry.letter for entry in ledger(*half, 2).entries][-2:] == ["dist", "float16"]


def test_the_ledger_refuses_a_token_that_is_none():
    with pytest.raises(LawError, match="token=3: a token of this pair is 0 to 2; give one of these"):
        ledger([0.1, 0.2, 0.7], [0.3, 0.3, 0.4], 3)


@pytest.mark.parametrize("token", [0.0, "0", -1, None])
def test_the_ledger_refuses_a_token_of_another_kind(token):
    with pytest.raises(LawError, match=r"token=.*: a token of this pair is 0 to 1; give one of these"):
        ledger([0.5, 0.5], [0.5, 0.5], token)


@pytest.mark.parametrize("dtype", [5, object()])
def test_a_dtype_that_is_none_is_refused(dtype):
    with pytest.raises(LawError, match="the rounding bound is for bfloat16, float16, float32, float64"):
        bound(3, dtype)


def test_the_letters_are_those_of_the_program():
    p, q = np.array([0.1, 0.2, 0.7]), np.array([0.3, 0.3, 0.4])
    law = float_law(p, q)
    for sums in SUMS:
        letters = [operation.letter for operation in operations(law, "float64", 2, sums)]
        assert letters == list(computed_letters(law, "float64", 2, sums))


# ---- the certificate


@given(float_pairs(), st.lists(st.integers(-3, 3), min_size=12, max_size=12), st.sampled_from(["float32", "float64"]))
def test_every_answer_of_the_certificate_is_that_of_fractions(pair, steps, dtype):
    p, q = pair
    f = rejection_law(p, q)[0].astype(np.float64)
    f = f + np.spacing(f) * steps[: len(f)]
    law = float_law(p, q)
    seen, want = certificate(law, f), exact.rejection_law(p.tolist(), q.tolist())[0]
    errors = [Fraction(x) - w for x, w in zip(f.tolist(), want, strict=True)]
    assert [seen.error_at(x) for x in range(len(f))] == errors
    for approximate, slack, error in zip(seen.error.tolist(), seen.slack.tolist(), errors, strict=True):
        assert abs(Fraction(approximate) - error) <= Fraction(slack)
    in_ulps = [abs(e) / ulp(w, dtype) for e, w in zip(errors, want, strict=True)]
    largest = seen.largest(dtype)
    assert largest.ulps == max(in_ulps)
    assert largest.size == errors[largest.token]
    assert abs(errors[seen.farthest()]) == max(map(abs, errors))
    ball = bound(len(p), p.dtype)
    outside = [x for x, w in enumerate(want) if not ball.contains(w, float(f[x]))]
    assert seen.first_outside(ball) == (outside[0] if outside else None)
    S_p = sum(map(Fraction, p.tolist()))
    defects = [w - Fraction(x) / S_p for w, x in zip(want, p.tolist(), strict=True)]
    found = largest_defect(law)
    assert (abs(found.size), found.size) == (max(map(abs, defects)), defects[found.token])


def test_the_certificate_of_a_vocabulary_asks_for_hardly_a_fraction(monkeypatch):
    rng = np.random.default_rng(0)
    p, q = (np.exp(3 * rng.standard_normal(128256)) for _ in "pq")
    p, q = p / p.sum(), q / q.sum()
    law, f = float_law(p, q), rejection_law(p, q)[0]
    asked = []
    at = type(law.dist).__getitem__
    monkeypatch.setattr(type(law.dist), "__getitem__", lambda dist, i: asked.append(i) or at(dist, i))
    seen = certificate(law, f)
    assert seen.within(bound(len(p), "float64"))
    assert seen.largest("float64").ulps < 9
    assert len(asked) < 100
    f[77] *= 1 + 2.0**-48
    assert certificate(law, f).first_outside(bound(len(p), "float64")) == 77
    f[5] = 0.5
    assert certificate(law, f).first_outside(bound(len(p), "float64")) == 5
    assert certificate(law, f).farthest() == 5


def test_ulps_are_the_distances_of_floats():
    x = np.array([0.0, 5e-324, 2.0**-1022, 1 / 3, 0.5, 1.0, 1 - 2.0**-53])
    assert ulps(x, "float64").tolist() == np.spacing(x).tolist()
    assert [float(ulp(Fraction(v), "float64")) for v in x.tolist()] == np.spacing(x).tolist()
    narrow = x.astype(np.float32)
    assert ulps(narrow.astype(np.float64), "float32").tolist() == np.spacing(narrow).tolist()


# ---- the names of laws


def test_rounding_only_needs_a_pair_that_tells_the_laws_apart():
    w = witness("sums-differ")
    ours = naming(w.p, w.q, rejection_law(w.p, w.q)[0], sums="exact")
    assert RIGHT in ours.contains
    exact_pair = [0.5, 0.25, 0.25], [0.25, 0.25, 0.5]
    assert naming(*exact_pair, exact_pair[0]).verdict == NON_DISCRIMINATING  # p is the law here
    assert "p" in naming(*exact_pair, exact_pair[0]).meets
    scaled = [3 / 4, 1 / 4, 1 / 8], [1 / 2, 3 / 8, 1 / 8]
    here = naming(*scaled, [5 / 8, 1 / 4, 1 / 8])
    assert (here.verdict, here.contains) == (NON_DISCRIMINATING, (RIGHT, *here.meets))
    # q sums to 1, and 8 bits hold it; the residual is at one token, and so any coin draws that
    assert here.meets == ("textbook", "coin-reused-for-residual", "low-precision-draft")
    assert naming(*scaled, scaled[0]).contains == ("p",)
    assert naming(*scaled, scaled[0]).verdict == ANOTHER_LAW
    assert naming(*scaled, [0.5, 0.25, 0.25]).verdict == NO_KNOWN_LAW
    assert naming(*scaled, [0.5, 0.25, float("nan")]).verdict == NO_KNOWN_LAW
    assert naming(*scaled, [0.5, 0.25]).verdict == NO_KNOWN_LAW


def test_several_pairs_together_leave_one_law():
    first = [3 / 4, 1 / 4, 1 / 8], [1 / 2, 3 / 8, 1 / 8]
    second = [0.4, 0.3, 0.3], [0.1, 0.2, 0.7]
    third = [1 / 2, 1 / 4, 1 / 4], [1 / 8, 3 / 8, 3 / 8]
    seen = [naming(p, q, rejection_law(p, q)[0]) for p, q in (first, second, third)]
    assert seen[1].verdict == NON_DISCRIMINATING  # the sums are equal up to rounding: p itself is the law
    assert (seen[0] & seen[1]).meets == ("textbook",)
    together = seen[0] & seen[1] & seen[2]
    assert (together.verdict, together.contains, together.meets) == (ROUNDING_ONLY, (RIGHT,), ())


@pytest.mark.parametrize("name", [n for n, rule in RULES.items() if not rule.lossless])
def test_a_wrong_rule_is_named(name):
    p, q = [0.5, 0.25, 0.125, 0.125], [0.0625, 0.0625, 0.375, 0.5]
    dist = [float(x) for x in emission(RULES[name], p, q).dist]
    found = naming(p, q, dist)
    assert name in found.contains
    assert found.verdict in (ANOTHER_LAW, NON_DISCRIMINATING)


def test_naming_refuses_what_it_cannot_do():
    with pytest.raises(LawError, match="p has 65 tokens: laws are named for at most 64; give a shorter pair"):
        naming([1 / 65] * 65, [1 / 65] * 65, [1 / 65] * 65)
    with pytest.raises(LawError, match="p sums to 2: "):
        naming([1.0, 1.0], [0.5, 0.5], [0.5, 0.5])


def test_the_textbook_line_is_named_where_it_is_negative():
    w = witness("ten-tenths")
    line = [float(x) for x in exact_textbook(w)]
    assert line[-1] < 0
    assert "textbook" in naming(w.p, w.q, line).contains
    assert cross_check(w.p, w.q, dist=line).verdict != "within the bound"


def exact_textbook(w):
    from numeric.naming import textbook

    return textbook(float_law(w.p, w.q))
