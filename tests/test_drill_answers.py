"""Exercises 1 to 5 of `samelaw drill`: right answers of any form pass, wrong ones are caught, and told why."""

from fractions import Fraction

import numpy as np
import pytest

from exact.rules import RULES
from proof.drills import exercises, files, grading, pairs, report
from proof.drills.answers import Answer
from proof.drills.exercises import EXERCISES, exercise
from proof.drills.files import solution
from proof.drills.grading import CHANCE, CHANGED, ENDLESS, FORM, ITSELF, COUNTED, NOT_FINITE, RUNS, SAME, UNFINISHED
from proof.drills.grading import VISIBLE_ALONE

FUNCTIONS = [x.number for x in EXERCISES if x.kind == exercises.FUNCTION]
HEAD = "import os, random\nimport numpy as np\nfrom fractions import Fraction\n\n"


@pytest.fixture
def graded(tmp_path):
    """graded(3, "return p, 1"): what the grader makes of a function with that body, or of a whole file."""

    def graded(number, body, timeout=10):
        asked = exercise(number)
        if not body.startswith("#"):
            body = f"def {asked.name}(p, q):\n" + "\n".join(f"    {line}" for line in body.splitlines())
        file = tmp_path / asked.file
        file.write_text(HEAD + body, encoding="utf-8")
        return grading.grade(asked, str(file), timeout)

    return graded


def words(lines):
    return " ".join(" ".join(lines).split())


# ---- the pairs

FLOAT_CASES = [case for case in (*pairs.laws(), *pairs.unlike()) if case.floats]
ROUTES = {  # letter: ways to it that a reasonable person may take, of p and q in floats
    "m": [
        lambda p, q: np.minimum(p, q),
        lambda p, q: p - np.maximum(p - q, 0),
        lambda p, q: q - np.maximum(q - p, 0),
        lambda p, q: (p + q - abs(p - q)) / 2,
        lambda p, q: q * acceptance(p, q),
    ],
    "r": [
        lambda p, q: np.maximum(p - q, 0),
        lambda p, q: p - np.minimum(p, q),
        lambda p, q: (p - q + abs(p - q)) / 2,
        lambda p, q: p - q * acceptance(p, q),
        lambda p, q: np.where(p > q, p - q, 0),
    ],
    "D": [
        lambda p, q: np.minimum(p, q) + (1 - np.minimum(p, q).sum()) * redraw(p, q),
        lambda p, q: np.minimum(p, q) + (q * (1 - acceptance(p, q))).sum() * redraw(p, q),
        lambda p, q: np.minimum(p, q) + np.maximum(q - p, 0).sum() * redraw(p, q),
        lambda p, q: np.minimum(p, q) + np.maximum(p - q, 0) * (1 - np.minimum(p, q).sum()) / (mass(p, q) or 1),
        lambda p, q: q * acceptance(p, q) + (1 - q @ acceptance(p, q)) * redraw(p, q),
    ],
    "alpha": [
        lambda p, q: np.minimum(p, q).sum(),
        lambda p, q: q @ acceptance(p, q),
        lambda p, q: 1 - (q * (1 - acceptance(p, q))).sum(),
        lambda p, q: sum(min(1, a / b) * b for a, b in zip(p.tolist(), q.tolist(), strict=True) if b),
    ],
    "alpha, of two laws": [
        lambda p, q: 1 - abs(p - q).sum() / 2,
        lambda p, q: 1 - 0.5 * np.abs(p - q).sum(),
        lambda p, q: 1 - np.maximum(p - q, 0).sum(),
        lambda p, q: 1 - np.linalg.norm(p - q, 1) / 2,
    ],
}  # fmt: skip


def acceptance(p, q):
    return np.minimum(1, np.divide(p, q, out=np.ones_like(q), where=q > 0))


def mass(p, q):
    return np.maximum(p - q, 0).sum()


def redraw(p, q):
    return np.maximum(p - q, 0) / mass(p, q) if mass(p, q) else p


@pytest.mark.parametrize("letter", ROUTES)
def test_no_route_rounds_on_a_float_pair(letter):
    name = letter.partition(",")[0]
    for case in FLOAT_CASES:
        if letter != name and not case.law:
            continue
        world, V = grading.world_of(case.p, case.q), len(case.p)
        alone = name == "alpha"
        wanted = [world.named(name, None)] if alone else [world.named(name, x) for x in range(V)]
        p, q = (np.array([float(x) for x in v]) for v in (case.p, case.q))
        for route in ROUTES[letter]:
            got = [Fraction(float(x)) for x in np.atleast_1d(route(p, q))]
            assert got == wanted, case


def test_the_float_pairs_are_float_pairs_and_not_too_few():
    for case in FLOAT_CASES:
        assert [Fraction(float(x)) for x in (*case.p, *case.q)] == [*case.p, *case.q]
    assert len(FLOAT_CASES) > 200
    assert sum(case.group == pairs.LARGER_GROUP for case in FLOAT_CASES) == pairs.LARGER
    assert all(pairs.is_exact_in_floats(case.p, case.q) for case in FLOAT_CASES)


def test_where_p_does_not_sum_to_1_the_program_does_not_emit_p():
    for case in pairs.unlike():
        world = grading.world_of(case.p, case.q)
        assert [world.named("D", x) for x in range(world.V)] != list(case.p)
        assert sum(case.q) == 1 != sum(case.p)


# ---- right answers

M, MR = "m = np.minimum(p, q)\n", "m, r = np.minimum(p, q), np.maximum(p - q, 0)\n"  # how many an answer begins
TEXTBOOK = "return m + (1 - m.sum()) * r / r.sum(), m.sum()"
RIGHT = {
    1: {
        "list of minima": "return [min(a, b) for a, b in zip(p, q)]",
        "tuple, by index": "return tuple(q[x] * min(1, p[x] / q[x]) if q[x] else 0 for x in range(len(p)))",
        "np.minimum": "return np.minimum(p, q)",
        "np.where, which divides by 0": "return q * np.minimum(1, np.where(q > 0, p / q, 1))",
        "Fractions of floats": "return [min(Fraction(a), Fraction(b)) for a, b in zip(p, q)]",
        "floats": "return [float(min(a, b)) for a, b in zip(p, q)]",
        "filled array": "m = np.zeros(len(p))\nfor x in range(len(p)):\n    m[x] = min(p[x], q[x])\nreturn m",
        "p less residual": "return p - np.maximum(p - q, 0)",
        "prints": "print('noise')\nreturn np.minimum(p, q)",
    },
    2: {
        "np.maximum": "return np.maximum(p - q, 0)",
        "clip": "return np.clip(p - q, 0, None)",
        "list": "return [max(a - b, 0) for a, b in zip(p, q)]",
        "if": "return [a - b if a > b else 0 for a, b in zip(p, q)]",
        "p less overlap": "return p - np.minimum(p, q)",
        "half sum": "return (p - q + abs(p - q)) / 2",
        "boolean mask": "return (p - q) * (p > q)",
        "floats": "return np.maximum(p.astype(float) - q.astype(float), 0.0)",
    },
    3: {
        "textbook": MR + TEXTBOOK,
        "beta by the coin": "a = np.minimum(1, np.where(q > 0, p / np.where(q > 0, q, 1), 1))\n"
        "r = np.maximum(p - q, 0)\nreturn q * a + (q * (1 - a)).sum() * (r / r.sum()), (q * a).sum()",
        "by total probability": MR + "al = m.sum()\nif al == 0:\n    return r / r.sum(), al\n"
        "return al * (m / al) + (1 - al) * (r / r.sum()), al",
        "divides by what is rejected": MR + "e = (q - m).sum()\nreturn m + e * r / r.sum(), 1 - e",
        "loops": "V = len(p)\nm = [min(p[x], q[x]) for x in range(V)]\nr = [max(p[x] - q[x], 0) for x in range(V)]\n"
        "return [m[x] + (1 - sum(m)) * r[x] / sum(r) for x in range(V)], sum(m)",
        "list of a tuple": MR + "return [tuple(m + (1 - m.sum()) * r / r.sum()), float(m.sum())]",
        "over the drafts": "V, D, alpha = len(p), [0] * len(p), 0\nr = [max(p[x] - q[x], 0) for x in range(V)]\n"
        "for y in range(V):\n    if q[y] == 0:\n        continue\n    a = min(1, p[y] / q[y])\n"
        "    alpha += q[y] * a\n    D[y] += q[y] * a\n"
        "    for x in range(V):\n        D[x] += q[y] * (1 - a) * r[x] / sum(r)\nreturn D, alpha",
        "Fractions of floats": "p, q = [[Fraction(x) for x in v] for v in (p, q)]\nm = [*map(min, p, q)]\n"
        "Z = sum(a - b for a, b in zip(p, m))\nreturn [b + (1 - sum(m)) * (a - b) / Z for a, b in zip(p, m)], sum(m)",
    },
    4: {
        "numpy": "return 1 - abs(p - q).sum() / 2",
        "half as a float": "return 1 - 0.5 * np.abs(p - q).sum()",
        "loop": "return 1 - sum(abs(a - b) for a, b in zip(p, q)) / 2",
        "Fraction": "return Fraction(1) - Fraction(1, 2) * sum(abs(Fraction(a) - Fraction(b)) for a, b in zip(p, q))",
        "array of no dimension": "return np.array(1 - abs(p - q).sum() / 2)",
        "overlap": "return np.minimum(p, q).sum()",
        "float": "return float(1 - sum(max(a - b, 0) for a, b in zip(p, q)))",
    },
    5: {
        "if there is no residual": MR + "if not r.any():\n    return p, 1\n" + TEXTBOOK,
        "any law there": MR + "Z = r.sum()\n"
        "rho = r / Z if Z > 0 else np.ones(len(p)) / len(p)\nreturn m + (1 - m.sum()) * rho, m.sum()",
        "zeros there": MR + "Z = sum(r)\n"
        "return [m[x] + (1 - sum(m)) * (r[x] / Z if Z else 0) for x in range(len(p))], sum(m)",
        "divide by 1": MR + "return m + (1 - m.sum()) * r / (r.sum() or 1), m.sum()",
        "nan_to_num": MR + "return m + np.nan_to_num((1 - m.sum()) * r / r.sum()), m.sum()",
        "equal laws": MR + "if (p == q).all():\n    return [*p], 1.0\n" + TEXTBOOK,
    },
}  # fmt: skip


@pytest.mark.parametrize(("number", "form"), [(n, form) for n in RIGHT for form in RIGHT[n]])
def test_a_right_answer_of_any_form_passes(graded, number, form):
    found = graded(number, RIGHT[number][form])
    assert found.first is None, found.first
    assert found.passed
    rounded = sum(case.floats for case in grading.hidden(exercise(number))) - sum(t.case.floats for t in found.judged)
    assert rounded == (2 if form == "by total probability" else 0)  # it divides by alpha, which is 7/16 there
    assert not any(t.failure for t in found.visible)


@pytest.mark.parametrize("number", FUNCTIONS)
def test_the_reference_passes_on_every_pair(graded, number):
    found = graded(number, solution(exercise(number)))
    assert found.first is None
    assert len(found.judged) == len(found.tried) == len([*grading.hidden(exercise(number))])


def test_what_cannot_be_judged_is_counted_and_not_called_right(graded):
    found = graded(1, RIGHT[1]["filled array"])
    assert len(found.judged) < len(found.tried)
    assert {t.case.floats for t in found.tried if not t.judged} == {False}
    many = len(found.tried) - len(found.judged)
    assert f"not judged: {many} pairs in Fractions for which floats came back" in report.coverage(found)


def test_where_it_stops_on_fractions_alone_is_told_with_the_pair(graded):
    found = graded(1, "return [b * min(1, a / b) for a, b in zip(p, q)]")
    text = words(report.coverage(found))
    assert "pairs in Fractions on which it raises ZeroDivisionError" in text
    assert "first at p = " in text


# ---- wrong answers

DIES = {
    "nan": ("return {nan}", NOT_FINITE),
    "infinite": ("return {inf}", NOT_FINITE),
    "changes p": ("p[0] = 2\nreturn {zeros}", CHANGED),
    "changes q": ("q -= q\nreturn {zeros}", CHANGED),
    "raises": ("return {zeros}[len(p)]", RUNS),
    "is not filled in": ("raise NotImplementedError('your part')", UNFINISHED),
    "ends the process": ("os._exit(0)", ENDLESS),
    "nothing": ("pass", FORM),
    "text": ("return 'x' * len(p)", FORM),
    "wrong shape": ("return {long}", FORM),
    "the same for all": ("return {same}", SAME),
    "draws": ("return {random}", CHANCE),
}  # fmt: skip
FORMS = {
    "vector": {"nan": "[float('nan')] * len(p)", "inf": "np.ones(len(p)) * np.inf", "zeros": "[0] * len(p)",
               "long": "[0] * (len(p) + 1)", "same": "[0.25, 0.25, 0.5][:len(p)]",
               "random": "np.random.random(len(p))"},
    "number": {"nan": "np.nan", "inf": "-float('inf')", "zeros": "[0] * len(p)", "long": "[0, 0]", "same": "0.75",
               "random": "random.random()"},
    "pair": {"nan": "[float('nan')] * len(p), 1", "inf": "p, np.inf", "zeros": "[0] * len(p)",
             "long": "p, [1, 1]", "same": "[0.25, 0.25, 0.5][:len(p)], 0.75",
             "random": "np.random.random(len(p)), 0.5"},
}  # fmt: skip


@pytest.mark.parametrize(("number", "how"), [(n, how) for n in FUNCTIONS for how in DIES])
def test_what_is_no_answer_is_caught_and_told_why(graded, number, how):
    body, kind = DIES[how]
    form = FORMS[exercise(number).form]
    found = graded(number, body.format(**form))
    assert found.fault == kind
    said = words(report.lines(found))
    assert said.startswith("NOT YET: ")
    assert "hint: " in said
    assert report.FAULTS.get(kind, report.WORDS.get(kind, "")) in said


@pytest.mark.parametrize("number", FUNCTIONS)
def test_what_hangs_is_ended(graded, number):
    found = graded(number, "while True:\n    pass", timeout=0.3)
    assert found.fault == ENDLESS
    assert len(found.tried) == 1
    assert found.first.failure.text == "does not return within 0.3 s"


ESTIMATE = "n = 1000\ncounts = np.random.default_rng(0).multinomial(n, [{law}])\n"
WRONG = {  # number: name: (body, kind of fault, rule that is named)
    1: {
        "q": ("return q", "accepted-mass", "accept-all"),
        "p": ("return p", "accepted-mass", ""),
        "p q": ("return p * q", "accepted-mass", "accept-with-p"),
        "lenient": ("return [min(2 * a, b) for a, b in zip(p, q)]", "accepted-mass", "lenience-2"),
        "larger": ("return np.maximum(p, q)", "accepted-mass", ""),
        "the coin alone": ("return [min(1, a / b) if b else 1 for a, b in zip(p, q)]", "accepted-mass", ""),
        "upside down": ("return [b * min(1, b / a) if a else b for a, b in zip(p, q)]", "accepted-mass",
                        "ratio-upside-down"),
        "no coin": ("return [b if a >= b else 0 for a, b in zip(p, q)]", "accepted-mass", "accept-iff-p-at-least-q"),
        "normalised": (M + "return m / m.sum()", "not-finite", ""),
        "0/0": ("return q * np.minimum(1, p / q)", NOT_FINITE, ""),
        "the visible ones": ("known = {(.5, .25, .25): [.25, .25, .25], (.75, .25): [.5, .25], (.5, .5): [0, .5]}\n"
                             "return known.get(tuple(map(float, p)), [0.125] * len(p))", VISIBLE_ALONE, ""),
        "an estimate": ("n = 1000\nm = np.minimum(p, q).astype(float)\nr = np.random.default_rng(0)\n"
                        "return r.multinomial(n, [*m, 1 - m.sum()])[:-1] / n", COUNTED, ""),
        "another draw each time": ("m = np.minimum(p, q).astype(float)\n"
                                   "return np.random.multinomial(1000, [*m, 1 - m.sum()])[:-1] / 1000", CHANCE, ""),
        "rounded": ("return np.round(np.minimum(p, q).astype(float), 6)", "accepted-mass", ""),
        "rounded to 12": ("return np.round(np.minimum(p, q).astype(float), 12)", "accepted-mass", ""),
        "written": ("return [float('%.6f' % min(a, b)) for a, b in zip(p, q)]", "accepted-mass", ""),
        "cut off": (M + "m[m < 0.01] = 0\nreturn m", "accepted-mass", ""),
        "eight tokens": ("m = 0 * p\nfor x in range(min(8, len(p))):\n    m[x] = min(p[x], q[x])\nreturn m",
                         "accepted-mass", ""),
        "never below": ("return np.maximum(np.minimum(p, q), 0.01)", COUNTED, ""),
    },
    2: {
        "p - q": ("return p - q", "residual-sign", ""),
        "normalised": ("r = np.maximum(p - q, 0)\nreturn r / r.sum() if r.any() else r", "residual-mass", "standard"),
        "distance": ("return abs(p - q)", "residual-mass", "absolute-difference"),
        "excess": ("return np.maximum(q - p, 0)", "split-p", "redraw-reversed"),
        "p": ("return p", "residual-mass", "redraw-from-p"),
        "q": ("return q", "residual-mass", "redraw-from-q"),
        "zeros": ("return 0 * p", SAME, ""),
        "half": ("return np.maximum(p - q, 0) / 2", "residual-mass", "standard"),
        "turned": ("return np.maximum(p - q, 0)[::-1]", "split-p", ""),
        "spread": ("return np.maximum(p - q, 0).sum() / len(p) + 0 * p", "split-p", "redraw-uniform"),
        "the visible ones": ("known = {(.5, .25, .25): [.25, 0, 0], (.75, .25): [.25, 0]}\n"
                             "return known.get(tuple(map(float, p)), [0.125] * len(p))", VISIBLE_ALONE, ""),
        "an estimate": ("r = np.maximum(p - q, 0).astype(float)\nn = 1000\n"
                        "return np.random.default_rng(0).multinomial(n, [*r, 1 - r.sum()])[:-1] / n", COUNTED, ""),
    },
    3: {
        "p": ("return p, np.minimum(p, q).sum()", ITSELF, ""),
        "m + r": (M + "return m + np.maximum(p - q, 0), m.sum()", ITSELF, ""),
        "beta by TV": (MR + "tv = abs(p - q).sum() / 2\nreturn m + tv * r / r.sum(), 1 - tv", "two-branches", ""),
        "p by its sum": (MR + "return m + r / p.sum(), m.sum()", "two-branches", ""),
        "right for laws alone": (MR + "return m + r * (1 if p.sum() == 1 else 7), m.sum()", "two-branches", ""),
        "few tokens alone": ("if len(p) > 8:\n    return q, 1 + 0 * p[0]\n" + MR + TEXTBOOK, "acceptance-rate", ""),
        "p over its sum": ("return p / p.sum(), np.minimum(p, q).sum()", "two-branches", ""),
        "q": ("return q, np.minimum(p, q).sum()", "emitted-law", "redraw-reversed"),
        "redraws from p": (M + "return m + (1 - m.sum()) * p, m.sum()", "emitted-law", "redraw-from-p"),
        "redraws from q": (M + "return m + (1 - m.sum()) * q, m.sum()", "emitted-law", "redraw-from-q"),
        "residual is no law": (MR + "return m + (1 - m.sum()) * r, m.sum()",
                               "emitted-law", "unnormalised-residual"),
        "accepted alone": (M + "return m, m.sum()", "emitted-law", ""),
        "alpha is TV": (MR + "return m + (1 - m.sum()) * r / r.sum(), r.sum()", "acceptance-rate", "alpha-is-tv"),
        "alpha is the mean coin": ("return p, sum(min(1, x / y) if y else 1 for x, y in zip(p, q)) / len(p)",
                                   "acceptance-rate", ""),
        "epsilon": (MR + "return m + (1 - m.sum()) * r / (r.sum() + 1e-12), m.sum()", "emitted-law", ""),
        "the visible ones": ("known = {(.5, .25, .25): ([.5, .25, .25], .75), (.75, .25): ([.75, .25], .75),\n"
                             "         (.25, .5): ([.25, .75], 0)}\n"
                             "return known.get(tuple(map(float, p)), ([0] * len(p), 2))", VISIBLE_ALONE, ""),
        "an estimate": ("d = np.random.default_rng(0).multinomial(1000, (p / p.sum()).astype(float)) / 1000\n"
                        "return d, np.minimum(p, q).sum()", COUNTED, ""),
    },
    4: {
        "TV": ("return abs(p - q).sum() / 2", "alpha-is-1", "alpha-is-tv"),
        "without half": ("return 1 - abs(p - q).sum()", "alpha", ""),
        "half": ("return 1 - abs(p - q).sum() / 4", "alpha", ""),
        "largest gap": ("return 1 - abs(p - q).max()", "alpha", ""),
        "sum p q": ("return (p * q).sum()", "alpha-is-1", "alpha-sum-pq"),
        "one": ("return 1 + 0 * p.sum()", SAME, ""),
        "square": ("return (1 - abs(p - q).sum() / 2) ** 2", "alpha", ""),
        "cancels": ("return 1 - (p - q).sum() / 2", SAME, ""),
        "the visible ones": ("known = {((.5, .25, .25), (.25, .25, .5)): .75, ((.75, .25), (.5, .5)): .75,\n"
                             "         ((.5, .5), (.5, .5)): 1, ((.5, .5, 0, 0), (0, 0, .5, .5)): 0}\n"
                             "return known.get((tuple(map(float, p)), tuple(map(float, q))), p[0] / 7)",
                             VISIBLE_ALONE, ""),
        "an estimate": ("a = float(np.minimum(p, q).sum())\nreturn np.random.default_rng(0).binomial(1000, a) / 1000",
                        COUNTED, ""),
    },
    5: {
        "the starter": (MR + TEXTBOOK, NOT_FINITE, ""),
        "epsilon": (MR + "return m + (1 - m.sum()) * r / (r.sum() + 1e-12), m.sum()", "emitted-law", ""),
        "p": ("return p, np.minimum(p, q).sum()", ITSELF, ""),
        "threshold 1e-5": (MR + "if r.sum() < 1e-5:\n    return m + r.sum() * p, m.sum()\n" + TEXTBOOK,
                           "emitted-law", ""),
        "threshold 1e-15": (MR + "if r.sum() < 1e-15:\n    return [*q], m.sum()\n" + TEXTBOOK, "emitted-law", ""),
        "at least 1e-9": (MR + "return m + (1 - m.sum()) * r / max(r.sum(), 1e-9), m.sum()", "emitted-law", ""),
        "allclose": (MR + "if np.allclose(p.astype(float), q.astype(float)):\n    return q, m.sum()\n" + TEXTBOOK,
                     "emitted-law", ""),
        "zero where equal": (MR + "if not r.any():\n    return 0 * p, 1\n" + TEXTBOOK, "emitted-law", ""),
        "alpha 0 where equal": (MR + "if not r.any():\n    return p, 0\n" + TEXTBOOK, "acceptance-rate", ""),
        "two laws where equal": (MR + "if not r.any():\n    return 2 * p, 1\n" + TEXTBOOK, "emitted-law", ""),
        "redraws from p always": (M + "return m + (1 - m.sum()) * p, m.sum()", "emitted-law", "redraw-from-p"),
        "p where V is 1 alone": (MR + "if len(p) == 1:\n    return p, 1\n" + TEXTBOOK, NOT_FINITE, ""),
    },
}  # fmt: skip


@pytest.mark.parametrize(("number", "how"), [(n, how) for n in WRONG for how in WRONG[n]])
def test_a_wrong_answer_is_caught_and_told_why(graded, number, how):
    body, kind, rule = WRONG[number][how]
    found = graded(number, body)
    assert found.first is not None
    assert found.fault == kind
    assert rule == "" or rule in [r.name for r in found.rules]
    assert rule or kind in report.FAULTS or not found.rules
    said = words(report.lines(found))
    assert said.startswith("NOT YET: ")
    assert "hint: " in said
    assert rule in said or len(found.rules) > report.MOST_RULES
    assert report.FAULTS.get(kind, "") in said


def test_the_report_names_the_line_both_sides_and_the_pair(graded, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert (
        "\n".join(report.lines(graded(3, WRONG[3]["redraws from p"][0])))
        == """\
NOT YET: D(x) = p(x) does not hold: line (40) of samelaw step, emitted-law
p = 1/2, 1/2
q = 0, 1

token  wanted  got  off by
0      1/2     1/4  -1/4
1      1/2     3/4  1/4
alpha  1/2     1/2  0

Both sides, where your dist is D(x) and your alpha is alpha:
  D(x) = 1/4, 3/4
  p(x) = 1/2, 1/2

rule: on every pair tried it is what comes of redraw-from-p (on rejection draw from p instead of the
  residual).

hint: Two ways lead to a token: it is drafted and accepted, or some draft is rejected and it is
  drawn then. How much comes by each?
hint: Look at the second way. How often is a draft rejected? And what is drawn from then: do its
  entries sum to 1, and are they large where the first way leaves too little?

run  pairs
324  every pair with V <= 3 and common denominator <= 4
40   V <= 8, denominator 64, seeded
16   V <= 12, denominator 65,536, made of some of these
3    p is 1/2, 1/2 but for 2^-20, 2^-40 and 2^-100, and q is 1/2, 1/2
62   p does not sum to 1: V = 2, entries 0, 1/4, ..., 1, and V = 3, entries 0, 1/2, 1
compared with ==: 252 in floats, where nothing has to round, 193 in Fractions"""
    )


@pytest.mark.parametrize("number", [1, 2, 4])
def test_a_report_does_not_say_what_was_asked_for(graded, number):
    """The line of the derivation, or the sentence of a rule, would be the answer."""
    answer = {1: "m(x)", 2: "(p-q)^+", 4: "1 - TV"}[number]
    for body, _, _ in WRONG[number].values():
        found = graded(number, body)
        assert answer not in words([*report.lines(found), report.self_check_text(found.exercise, found)])
    assert number == 2 or answer in words(report.lines(graded(number, next(iter(RIGHT[number].values())))))


def test_p_itself_is_told_to_be_p_itself(graded):
    said = words(report.lines(graded(3, "return p, np.minimum(p, q).sum()")))
    assert "that is p itself, and not what the program emits: here p does not sum to 1" in said
    assert "The program has there: D(x) = 0, 1 q(x) a(x) + beta rho(x) = 0, 1" in said
    assert "beta: beta is the probability that the draft is rejected." in said


def test_the_same_answer_is_graded_in_the_same_words_twice(graded):
    body = WRONG[1]["lenient"][0]
    assert report.lines(graded(1, body)) == report.lines(graded(1, body))
    assert report.facts(graded(1, body)) == report.facts(graded(1, body))


# ---- the grader itself


@pytest.mark.parametrize("number", [n for n in FUNCTIONS if exercise(n).vector != "r"])  # a rule has no residual
def test_every_rule_is_rejected_exactly_where_it_is_another_answer(number):
    asked = exercise(number)
    right = grading.answer_of(asked, RULES["standard"])
    answers = [grading.answer_of(asked, rule) for rule in RULES.values()]
    for case in [*grading.hidden(asked)][::3]:
        if case.law:
            assert right(case).values == by_the_tree(asked, case)
            for answer in answers:
                same = answer(case).values == right(case).values
                assert (grading.judge(asked, case, answer(case)).failure is None) == same


def by_the_tree(asked, case):
    vector, scalar = files.wanted(asked, grading.world_of(case.p, case.q))
    return (*vector, scalar) if asked.scalar else tuple(vector)


def test_a_grader_that_cannot_reject_does_not_run(monkeypatch):
    monkeypatch.setattr(grading, "broken", lambda *_: None)
    with pytest.raises(grading.LawError, match="this grader proves nothing"):
        grading.self_check(exercise(1))


@pytest.mark.parametrize("number", FUNCTIONS)
def test_one_wrong_entry_on_one_pair_is_enough(number):
    """Every entry of every right answer, off by less than a float can be."""
    asked = exercise(number)
    right = grading.answer_of(asked, RULES["standard"])
    for case in [*grading.hidden(asked)][::2]:
        if not case.law:
            continue
        answer = right(case) if asked.vector != "r" else residual(case)
        assert grading.judge(asked, case, answer).failure is None
        for i in range(len(answer.values)):
            values = [x + (Fraction(1, 3**40) if i == j else 0) for j, x in enumerate(answer.values)]
            V = len(answer.vector)
            off = Answer(tuple(values[:V]), values[V] if asked.scalar else None, True)
            assert grading.judge(asked, case, off).failure is not None


def residual(case):
    world = grading.world_of(case.p, case.q)
    return Answer(tuple(world.named("r", x) for x in range(world.V)), None, True)


def test_where_p_is_no_law_the_coin_says_how_often_is_rejected():
    asked = exercise(3)
    for case in pairs.unlike():
        m, r = [*map(min, case.p, case.q)], [max(a - b, Fraction(0)) for a, b in zip(case.p, case.q, strict=True)]
        Z, A = sum(r), sum(m)
        for beta, right in ((1 - A, True), ((Z + sum(case.q) - A) / 2, False)):  # by the coin; by TV
            dist = tuple(a + beta * b / Z for a, b in zip(m, r, strict=True))
            assert (grading.judge(asked, case, Answer(dist, A, True)).failure is None) == (right or beta == 1 - A)
        assert grading.judge(asked, case, Answer(tuple(case.p), A, True)).failure.kind == ITSELF


def test_an_answer_that_is_off_by_a_rounding_everywhere_has_not_passed(graded):
    found = graded(1, "return [float(min(a, b)) + 2 ** -54 if min(a, b) < 0.5 else float(min(a, b)) - 2 ** -54 "
                      "for a, b in zip(p, q)]")  # fmt: skip
    assert not found.passed


def test_an_answer_in_huge_numbers_leaves_no_trace(graded):
    said = words(report.lines(graded(1, "return [10**5000] * len(p)")))
    assert said.startswith("NOT YET: ")
