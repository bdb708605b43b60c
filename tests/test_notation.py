"""Statements as text: the parentheses are right, and the TeX comes through Markdown unharmed."""

from collections import defaultdict
from contextlib import suppress
from fractions import Fraction
from html import unescape
from itertools import product

import pytest

from proof.evaluate import World
from proof.notation import plain, tex
from proof.floating import NEW
from proof.rejection import STEPS
from proof.statement import ZERO, Abs, Add, At, Delta, Div, Iff, Max, Min, Mul, Name, Number, Relation, Sub, Sum, Where
from proof.statement import Node, eq, ge, gt

p, q, r, Z = At("p", "x"), At("q", "x"), At("r", "x"), Name("Z")
HALF = Number(Fraction(1, 2))
LINES = [*STEPS, *NEW]

TEXTS = [
    (p + q + r, "p(x) + q(x) + r(x)", "p(x) + q(x) + r(x)"),
    (p + (q - r), "p(x) + q(x) - r(x)", "p(x) + q(x) - r(x)"),
    (p - (q + r), "p(x) - (q(x) + r(x))", "p(x) - (q(x) + r(x))"),
    (p - (q - r), "p(x) - (q(x) - r(x))", "p(x) - (q(x) - r(x))"),
    (p - q - r, "p(x) - q(x) - r(x)", "p(x) - q(x) - r(x)"),
    (p - q * r, "p(x) - q(x) r(x)", "p(x) - q(x) r(x)"),
    ((p - q) * r, "(p(x) - q(x)) r(x)", "(p(x) - q(x)) r(x)"),
    (p * (q + r), "p(x) (q(x) + r(x))", "p(x) (q(x) + r(x))"),
    (p / q, "p(x)/q(x)", r"\frac{p(x)}{q(x)}"),
    (p / (q * r), "p(x)/(q(x) r(x))", r"\frac{p(x)}{q(x) r(x)}"),
    (p / (q / r), "p(x)/(q(x)/r(x))", r"\frac{p(x)}{\frac{q(x)}{r(x)}}"),
    ((p / q) / r, "(p(x)/q(x))/r(x)", r"\frac{\frac{p(x)}{q(x)}}{r(x)}"),
    ((p + q) / Z, "(p(x) + q(x))/Z", r"\frac{p(x) + q(x)}{Z}"),
    (HALF * p, "1/2 p(x)", None),
    (p / HALF, "p(x)/(1/2)", None),
    (p - Number(Fraction(-1)), "p(x) - (-1)", "p(x) - (-1)"),
    (Number(Fraction(-1)) * p, "(-1) p(x)", "(-1) p(x)"),
    (Min(p, q), "min(p(x), q(x))", r"\min(p(x), q(x))"),
    (Min(p + q, r - p), "min(p(x) + q(x), r(x) - p(x))", r"\min(p(x) + q(x), r(x) - p(x))"),
    (Max(p, q), "max(p(x), q(x))", r"\max(p(x), q(x))"),
    (Max(p - q, ZERO), "(p(x) - q(x))^+", "(p(x) - q(x))^+"),
    (Max(ZERO, p), "max(0, p(x))", r"\max(0, p(x))"),
    (Abs(p - q), "|p(x) - q(x)|", r"\lvert p(x) - q(x) \rvert"),
    (Delta("y", "x"), "delta(y, x)", r"\delta(y, x)"),
    (Sum("x", p), "sum_x p(x)", r"\sum_x p(x)"),
    (Sum("x", p + q), "sum_x (p(x) + q(x))", r"\sum_x (p(x) + q(x))"),
    (Sum("x", p) + q, "sum_x p(x) + q(x)", r"\sum_x p(x) + q(x)"),
    (Sum("x", p * q), "sum_x p(x) q(x)", r"\sum_x p(x) q(x)"),
    (Sum("x", p) * q, "(sum_x p(x)) q(x)", r"(\sum_x p(x)) q(x)"),
    (q * Sum("y", p), "q(x) sum_y p(x)", r"q(x) \sum_y p(x)"),
    (Sum("x", p) / Z, "(sum_x p(x))/Z", r"\frac{\sum_x p(x)}{Z}"),
    (Sum("x", p, 1), "sum_(x>=1) p(x)", r"\sum_{x \ge 1} p(x)"),
    (Sum("x", Sum("y", p)), "sum_x sum_y p(x)", r"\sum_x \sum_y p(x)"),
    (Where(gt(Z, 0), p, q), "p(x) where Z > 0, otherwise q(x)",
     r"p(x) \text{ where } Z \gt 0 \text{, otherwise } q(x)"),
    (r * Where(gt(Z, 0), p, q), "r(x) (p(x) where Z > 0, otherwise q(x))",
     r"r(x) (p(x) \text{ where } Z \gt 0 \text{, otherwise } q(x))"),
    (eq(Z, 0), "Z = 0", "Z = 0"),
    (ge(p, q), "p(x) >= q(x)", r"p(x) \ge q(x)"),
    (gt(Name("alpha"), Name("TV")), "alpha > TV", r"\alpha \gt \mathrm{TV}"),
    (Iff(eq(Z, 0), eq(p, q)), "Z = 0 if and only if p(x) = q(x) for every x",
     r"Z = 0 \iff p(x) = q(x) \text{ for every } x"),
    (At("rho", "x"), "rho(x)", r"\rho(x)"),
    (Name("alpha'") / Name("S_p"), "alpha'/S_p", r"\frac{\alpha'}{S_p}"),
    (Abs(Name("S_q")) * Name("TV(F,P)"), "|S_q| TV(F,P)", r"\lvert S_q \rvert \mathrm{TV}(F, P)"),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "text", "_tex"), TEXTS, ids=[text for _, text, _ in TEXTS])
def test_plain_text_of_a_small_tree(tree, text, _tex):
    assert plain(tree) == text


@pytest.mark.parametrize(("tree", "text"), [(tree, t) for tree, _, t in TEXTS if t], ids=[t for *_, t in TEXTS if t])
def test_tex_of_a_small_tree(tree, text):
    assert tex(tree) == text


@pytest.mark.parametrize("write", [plain, tex])
def test_what_is_no_statement_has_no_notation(write):
    with pytest.raises(TypeError, match="Node has no notation"):
        write(Node())


# ---- two trees with one text mean one thing

FIRST, SECOND = At("p", "x"), Name("Z")
WORLD = World({"p": [Fraction(2), Fraction(3)]}, {"Z": (None, Number(Fraction(5)))})


def grown(trees, sums=True):
    """Every tree one operator higher."""
    made = [kind(a, b) for kind, a, b in product((Add, Sub, Mul, Div), trees, trees)]
    return [*trees, *made, *([Sum("x", tree) for tree in trees] if sums else [])]


def ambiguous(trees, write):
    """The texts that are written for two trees with different values."""
    values = defaultdict(set)
    for tree in trees:
        with suppress(ZeroDivisionError):
            values[write(tree)].add(WORLD.value(tree, {"x": 0}))
    return sorted(text for text, found in values.items() if len(found) > 1)


@pytest.mark.parametrize("write", [plain, tex])
def test_a_text_without_sums_has_one_meaning(write):
    two = grown(grown([FIRST, SECOND], sums=False), sums=False)
    assert len(two) > 400
    assert ambiguous(two, write) == []


@pytest.mark.parametrize("write", [plain, tex])
def test_a_text_with_sums_in_it_has_one_meaning(write):
    two = grown(grown([FIRST, SECOND]))
    three = [kind(*sides) for kind in (Add, Sub, Mul, Div) for a in two for sides in ((a, FIRST), (FIRST, a))]
    assert ambiguous([*two, *three], write) == []


@pytest.mark.parametrize("write", [plain, tex])
def test_a_sum_never_takes_in_the_factor_after_it(write):
    assert write(Z * Sum("x", p) * q) != write(Z * Sum("x", p * q))


def test_two_numbers_are_not_written_as_one():
    assert plain(Number(Fraction(2)) * HALF) == "2 (1/2)"


@pytest.mark.parametrize("write", [plain, tex])
def test_a_case_split_inside_another_is_set_off(write):
    one, other = gt(p, 0), gt(Z, 0)
    assert write(Where(other, Where(one, p, q), r)) != write(Where(one, p, Where(other, q, r)))


# ---- the derivation in Markdown

FORBIDDEN = ["\\\\", "\\{", "\\}", "\\,", "*", "|", "<", "_+", "_{+}", "\\operatorname", "$", "\n", "`"]


@pytest.mark.parametrize("line", LINES, ids=[s.label for s in LINES])
def test_a_line_of_the_derivation_is_written_in_tex_that_renders_everywhere(line):
    for text in map(tex, (line.statement, *line.hypotheses, *line.coefficients)):
        assert [bad for bad in FORBIDDEN if bad in text] == []
        assert text.count("{") == text.count("}")
        assert text.count("(") == text.count(")")
        assert text == text.strip()


@pytest.mark.parametrize("line", LINES, ids=[s.label for s in LINES])
def test_a_line_of_the_derivation_is_written_in_plain_ascii(line):
    for text in map(plain, (line.statement, *line.hypotheses, *line.coefficients)):
        assert text.isascii()
        assert not {"\\", "{", "}", "$", "#"} & set(text)


def test_different_lines_have_different_texts():
    statements = {s.statement for s in LINES}
    assert len(set(map(plain, statements))) == len(set(map(tex, statements))) == len(statements)


@pytest.fixture(scope="module")
def render():
    return pytest.importorskip("markdown_it").MarkdownIt("commonmark").render


def spans():
    return [f"${tex(statement)}$" for s in LINES for statement in (s.statement, *s.hypotheses, *s.coefficients)]


@pytest.mark.parametrize("between", [" ", "\n", ", so that ", " and ("], ids=["space", "line", "words", "paren"])
def test_commonmark_leaves_every_dollar_span_as_it_is(render, between):
    rendered = unescape(render(between.join(spans())))
    assert "<em>" not in rendered
    assert "<strong>" not in rendered
    assert [span for span in spans() if span not in rendered] == []
    assert rendered.count("$") == 2 * len(spans())


def test_commonmark_leaves_the_hypotheses_in_a_table_cell_as_they_are():
    """A cell ends at a bar, in a formula too."""
    assert [span for span in spans() if "|" in span] == []


def test_this_reading_does_catch_a_formula_that_markdown_spoils(render):
    spoiled = "$(p-q)_+$ and $(q-p)_+$, $p^*$ and $q^*$"
    assert "<em>" in render(spoiled)


def test_relations_of_every_sign_have_their_tex_command():
    assert [tex(Relation(sign, p, q)) for sign in ("=", ">=", ">")] == [
        "p(x) = q(x)",
        r"p(x) \ge q(x)",
        r"p(x) \gt q(x)",
    ]
