"""The laws of a text against a second, slower count of the same words, and the check that runs on them."""

import sys
from collections import Counter
from fractions import Fraction
from hashlib import sha256
from itertools import islice, pairwise
from pathlib import Path
from statistics import median_low
from types import SimpleNamespace

import pytest

from exact import LawError, rejection_law, total_variation
from exact.reading import Numbers
from exact.rules import RULES, emission
from proof.front.text_laws import Context, TextLaws, check_context, check_contexts, read_text, words_of

RHYME = words_of("""
    This is the farmer that sowed the corn that fed the cock that crowed in the morn that waked the priest. He
    kept the cock, the corn and the rat. This is the house that Jack built. This is the malt that lay in the house
    that Jack built. This is the rat that ate the malt that lay in the house that Jack built. This is the cat that
    killed the rat that ate the malt. This is the dog that worried the cat that killed the rat that ate the malt
    that lay in the house that Jack built.
""")


def share(successors, w):
    return Fraction(successors.count(w), len(successors))


def fractions(weights, context):
    return tuple(Fraction(w, context.total) for w in weights)


def laws_by_hand(words, u, v):
    """p and q as dictionaries of Fractions, from lists of successors."""
    half = len(words) // 2
    first, second = words[:half], words[half:]
    after_v = [w for x, w in pairwise(second) if x == v]
    after_uv = [w for x, y, w in zip(second, second[1:], second[2:], strict=False) if (x, y) == (u, v)]
    drafted = [w for x, w in pairwise(first) if x == v] or list(first)
    p = {w: (share(after_uv, w) + share(after_v, w)) / 2 for w in after_v}
    return p, {w: share(drafted, w) for w in drafted}


# ---- the laws


def test_every_context_has_the_laws_that_a_count_by_hand_gives():
    for c in TextLaws(RHYME):
        p, q = laws_by_hand(RHYME, *c.words)
        assert c.tokens == tuple(dict.fromkeys([*p, *q]))
        assert fractions(c.p, c) == tuple(p.get(t, 0) for t in c.tokens)
        assert fractions(c.q, c) == tuple(q.get(t, 0) for t in c.tokens)


def test_the_contexts_are_the_pairs_of_the_second_half_that_have_a_successor():
    second = RHYME[len(RHYME) // 2 :]
    assert [c.words for c in TextLaws(RHYME)] == list(dict.fromkeys(list(pairwise(second))[:-1]))
    assert len(TextLaws(RHYME)) == len(list(TextLaws(RHYME)))


def test_the_draft_falls_back_on_its_unigrams():
    c = TextLaws(RHYME).context("the", "dog")
    half = Counter(RHYME[: len(RHYME) // 2])
    assert "dog" not in half
    assert fractions(c.q, c) == tuple(Fraction(half[t], half.total()) for t in c.tokens)
    assert half.keys() <= set(c.tokens)


def test_both_sides_are_ints_with_the_same_sum_and_no_token_is_idle():
    for c in TextLaws(RHYME):
        assert {type(w) for w in (*c.p, *c.q, c.total)} == {int}
        assert sum(c.p) == sum(c.q) == c.total
        assert all(a or b for a, b in zip(c.p, c.q, strict=True))


def test_the_float_view_is_rounded_once():
    for c in TextLaws(RHYME):
        assert c.p_float == [float(w) for w in fractions(c.p, c)]
        assert c.q_float == [float(w) for w in fractions(c.q, c)]


def test_a_context_that_the_text_lacks_is_a_key_error():
    with pytest.raises(KeyError):
        TextLaws(RHYME).context("jack", "the")


# ---- the check


def test_the_true_law_holds_in_every_context():
    laws, seen = TextLaws(RHYME), []
    result = check_contexts(laws, progress=lambda done, total: seen.append((done, total)))
    assert result.failures == ()
    assert result.contexts == len(laws) == len(result.alphas)
    assert result.tokens == sum(len(c.tokens) for c in laws)
    assert result.two_sided == sum(0 in c.p and 0 in c.q for c in laws) > 0
    assert seen == [(i, len(laws)) for i in range(1, len(laws) + 1)]


def test_the_statistics_are_exact():
    laws = TextLaws(RHYME)
    result = check_contexts(laws)
    alphas = sorted(1 - total_variation(c.p, c.q) for c in laws)
    assert result.alphas == tuple(alphas)
    assert [result.quartile(k) for k in (0, 4)] == [alphas[0], alphas[-1]]
    assert result.quartile(2) == median_low(alphas)
    assert result.quartile(0) <= result.quartile(1) <= result.quartile(2) <= result.quartile(3) <= result.quartile(4)
    assert type(result.mean) is Fraction
    assert result.mean == sum(alphas) / len(alphas)
    assert result.share_zero == Fraction(sum(a == 0 for a in alphas), len(alphas))


@pytest.mark.parametrize("name", ["redraw-from-p", "redraw-from-q", "accept-all", "ratio-upside-down"])
def test_a_wrong_rule_fails(name):
    laws = TextLaws(RHYME)

    def law(p, q):
        e = emission(RULES[name], p, q)
        return e.dist, e.alpha

    result = check_contexts(laws, law)
    wrong = [c for c in laws if law(c.p, c.q) != (fractions(c.p, c), 1 - total_variation(c.p, c.q))]
    assert {f.words for f in result.failures} == {c.words for c in wrong} != set()
    assert [f.V for f in result.failures] == sorted(len(c.tokens) for c in wrong)
    assert result.alphas == check_contexts(laws).alphas


def reason(dist, alpha):
    """What is said of a verifier that says (dist, alpha) where p = q = (1/2, 1/2)."""
    context = Context(("u", "v"), ("b", "c"), Numbers((1, 1)), Numbers((1, 1)), 2)
    return check_context(context, lambda p, q: (dist, alpha)).reason


def test_a_reason_names_the_first_claim_that_fails():
    half, third = Fraction(1, 2), Fraction(1, 3)
    assert reason([half, half], 1) == ""
    assert reason([-half, 3 * half], 0) == "non-negative: 'b' has -1/2, 1/2 below 0"
    assert reason([half, third], 0) == "sums to 1: dist sums to 5/6, off by -1/6"
    assert reason([third, 2 * third], third) == "alpha: wanted 1, got 1/3, off by -2/3"
    assert reason([third, 2 * third], 1) == "dist: 'b' wanted 1/2, got 1/3, off by -1/6"


# ---- the text


def test_words_are_runs_of_letters_and_apostrophes():
    assert words_of("Don't PANIC: x2, café\nend") == ("don't", "panic", "x", "caf", "end")


def test_the_language_reference_is_there_and_every_context_tried_holds():
    text = read_text()
    assert len(text.words) > 50_000
    assert text.digest == read_text().digest
    laws = TextLaws(text.words)
    assert len(laws) > 10_000
    result = check_contexts(list(islice(laws, 300)), rejection_law)
    assert (result.contexts, result.failures) == (300, ())


def test_the_language_reference_is_read_in_sorted_order_and_text_only(monkeypatch):
    fake = SimpleNamespace(topics={"b": "three four five", "c": 6, "a": "one two"})
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", fake)
    text = read_text()
    assert text.words == ("one", "two", "three", "four", "five")
    assert text.digest == sha256(b"one two\nthree four five").hexdigest()[:16]


def test_a_python_without_the_language_reference_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    with pytest.raises(LawError, match=r"text=pydoc_data\.topics: .* --text FILE"):
        read_text()


def test_a_file_is_read_as_utf_8_and_its_digest_is_that_of_its_bytes(tmp_path):
    file = tmp_path / "text.txt"
    file.write_bytes("Ein Käse,\r\nplease, and one more".encode())
    text = read_text(file)
    assert text.words == ("ein", "k", "se", "please", "and", "one", "more")
    assert text == read_text(str(file))
    assert text.digest == sha256(file.read_bytes()).hexdigest()[:16]


BAD = {
    "empty": (b"", "has 0, 5 too few"),
    "no words": (b"1 2 3 !\n", "has 0, 5 too few"),
    "too few": (b"one two three four", "has 4, 1 too few"),
    "latin-1": ("un café".encode("latin-1"), "byte 6 of 7 is not"),
    "binary": (bytes(range(256)), "byte 128 of 256 is not"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_no_text(name, tmp_path):
    data, message = BAD[name]
    file = tmp_path / "bad.txt"
    file.write_bytes(data)
    with pytest.raises(LawError, match=message) as caught:
        read_text(file)
    assert str(caught.value).startswith(f"text={str(file)!r}: a text ")


def test_five_words_are_enough():
    laws = TextLaws(["a", "b", "c", "d", "e"])
    assert [c.words for c in laws] == [("c", "d")]
    assert check_contexts(laws).failures == ()


@pytest.mark.parametrize("name", ["missing.txt", ".", "nul\0.txt", "x" * 5000])
def test_a_file_that_cannot_be_read(name, tmp_path):
    with pytest.raises(LawError, match=r"that can be read .*--text FILE"):
        read_text(tmp_path / name)


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(LawError, match=r"\(Permission denied\)"):
        read_text(tmp_path / "secret.txt")
