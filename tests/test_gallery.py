"""The gallery: each verifier is audited as it stands, against its golden report, its docstring and its field case.

`pytest tests/test_gallery.py --rewrite` writes the golden reports anew.
"""

import importlib.util
import json
import re
import shlex
from fractions import Fraction
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from exact import law_of
from exact.law import Law
from exact.reading import Numbers, figure
from exact.rules import RULES, emission
from exact.search import all_pairs, pairs
from numeric import rejection, rejection_sample
from numeric.audit import audit, audit_search
from numeric.audit.search import sampler, self_check
from proof.front.audit import on_many
from proof.front.cli import main, parser

HERE = Path(__file__).parent
GALLERY = HERE / "gallery"
FILES = {file.stem: file for file in sorted(GALLERY.glob("*.py"))}
CASES = {case["id"]: case for case in json.loads((HERE / "data" / "field_cases.json").read_text())}
DENOMINATOR, STEPS_DENOMINATOR = 3, 2  # the smallest counterexamples are among these pairs
LARGER_DENOMINATOR = {"top_p_on_one_side": 4}  # but for this one


@cache
def module_of(name):
    spec = importlib.util.spec_from_file_location(f"gallery_{name}", FILES[name])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def options_of(name):
    """How the file says that it is audited."""
    module = module_of(name)
    given = {"arrays": getattr(module, "ARRAYS", None), "uniform": getattr(module, "UNIFORM", "ideal")}
    return given | ({"draft": module.draft} if hasattr(module, "draft") else {})


def steps_of(name):
    return getattr(module_of(name), "STEPS", None)


@cache
def search_of(name):
    steps = steps_of(name)
    denominator = STEPS_DENOMINATOR if steps else LARGER_DENOMINATOR.get(name, DENOMINATOR)
    return audit_search(module_of(name).emit, **options_of(name), steps=steps, denominator=denominator)


def command(name, *more):
    """`samelaw audit` of the file, as it says that it is audited."""
    given = options_of(name) | {"steps": steps_of(name)}
    if "draft" in given:
        given["draft"] = "draft"
    words = ([f"--{option}", str(value)] for option, value in given.items() if value not in (None, "ideal"))
    return ["audit", f"tests/gallery/{name}.py:emit", *chain.from_iterable(words), *more]


@cache
def lines_of(name):
    """What the command prints below its self-check."""
    lines = on_many(parser().parse_args(command(name)), search_of(name), rejected())[1]
    return lines[lines.index("") + 1 :]


@cache
def rejected():
    return self_check()


# ---- golden reports


@pytest.mark.parametrize("name", FILES)
def test_the_golden_report(name, request):
    golden, text = GALLERY / f"{name}.txt", "\n".join(lines_of(name)) + "\n"
    if request.config.getoption("--rewrite"):
        golden.write_text(text, encoding="utf-8", newline="\n")
    assert golden.read_text(encoding="utf-8") == text


def test_every_golden_report_has_its_verifier():
    assert [file.stem for file in sorted(GALLERY.glob("*.txt"))] == list(FILES)


# ---- verdicts: README.md lists every file once, and says what the audit finds


def listed():
    """(name, is a sequence, what is said last) of every row of the tables in README.md."""
    text = (GALLERY / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^\| \[(\w+)\]\(\1\.py\)( \(sequence\))? \| .* \| ([^|]+) \|$", text, re.MULTILINE)


VERDICTS = {name: verdict for name, _sequence, verdict in listed()}


def test_the_list_has_every_file_once():
    assert sorted(name for name, *_ in listed()) == list(FILES)
    assert {name for name, sequence, _ in listed() if sequence} == {name for name in FILES if steps_of(name)}


def test_every_docstring_says_so_where_it_is_right():
    says = {name for name in FILES if module_of(name).__doc__.startswith("Correct")}
    assert says == {name for name, verdict in VERDICTS.items() if verdict in ("right", "right, not maximal")}


@pytest.mark.parametrize("name", FILES)
def test_the_verdict(name):
    found, verdict = search_of(name), VERDICTS[name]
    assert found.holds is verdict.startswith("right")
    assert (found.smallest is None and found.overstated is not None) is (verdict == "wrong alpha")
    assert bool(found.smallest and found.smallest.on_grid_only) is (verdict == "wrong on the grid")
    if verdict.startswith("right") and found.reports_acceptance:
        assert (found.not_maximal is not None) is (verdict == "right, not maximal")


def smallest_of(found):
    """Of the pairs that are all tried, smallest first; the seeded ones are left out."""
    all_of_them = found.coverage[0].group
    return next((case.shown for case in found.tried if not case.lossless and case.group == all_of_them), None)


SEQUENCES = {name for name, sequence, _ in listed() if sequence}
WRONG = [n for n, says in VERDICTS.items() if says.startswith("wrong") and says != "wrong alpha" and n not in SEQUENCES]


@pytest.mark.parametrize("name", WRONG)
def test_the_counterexample_is_the_smallest_there_is(name):
    """Fewer tokens come first: where it has three, none with two may fail, not even with a larger denominator."""
    found = search_of(name).smallest
    assert found is smallest_of(search_of(name))
    if len(found.p) > 2:
        options = options_of(name) | {"arrays": found.arrays}
        assert smallest_of(audit_search(module_of(name).emit, **options, tokens=2, denominator=6)) is None


@pytest.mark.parametrize("name", [name for name, verdict in VERDICTS.items() if verdict.startswith("wrong")])
def test_the_replay_finds_the_same(name, capsys, monkeypatch):
    found = search_of(name).witness
    (line,) = (line for line in lines_of(name) if line.startswith("replay: samelaw "))
    monkeypatch.chdir(HERE.parent)
    monkeypatch.setattr("proof.front.audit.self_check", rejected)  # once for all
    assert main([*shlex.split(line)[2:], "--json"]) == 1
    again = json.loads(capsys.readouterr().out)
    assert again["emitted"] == [str(x) for x in found.dist]
    assert (again["tv"], again["alpha"]) == (str(found.tv), None if found.alpha is None else str(found.alpha))


def test_the_golden_report_is_what_the_command_prints(capsys, monkeypatch):
    monkeypatch.chdir(HERE.parent)
    assert main(command("resample_from_p", "--denominator", str(DENOMINATOR))) == 1
    assert capsys.readouterr().out.endswith("\n\n" + (GALLERY / "resample_from_p.txt").read_text(encoding="utf-8"))


# ---- the field cases, by auditing code


def fractions(texts):
    return Numbers(Fraction(t) for t in texts)


def file_of(case):
    return case["id"].replace("-", "_")


def law_of_case(found):
    return found.dist, found.tv, found.alpha, found.stuck


def expected(case):
    return fractions(case["emitted"]), Fraction(case["tv"]), Fraction(case["alpha"]), Fraction(0)


@pytest.mark.parametrize("id_", sorted(CASES.keys() - {"zero-residual-reached"}))
def test_a_field_case_has_its_exact_law(id_):
    case = CASES[id_]
    found = audit(module_of(file_of(case)).emit, case["p"], case["q"], **options_of(file_of(case)))
    assert law_of_case(found) == expected(case)
    assert found.lossless is (case["verdict"] == "lossless")
    assert found.arrays == (options_of(file_of(case))["arrays"] or "fraction")


def test_the_undefined_branch_is_reached_where_the_sums_differ():
    case = CASES["zero-residual-reached"]
    found = audit(module_of(file_of(case)).emit, case["p"], case["q"])
    assert found.stuck == Fraction(case["stuck"])
    assert [outcome.kind for outcome in found.others] == ["ValueError"]
    assert not found.lossless


@pytest.mark.parametrize("id_", sorted(id_ for id_, case in CASES.items() if "smallest" in case))
def test_a_field_case_has_its_smallest_pair(id_):
    case, want = CASES[id_], CASES[id_]["smallest"]
    emit, uniform = module_of(file_of(case)).emit, options_of(file_of(case))["uniform"]
    with_two = smallest_of(audit_search(emit, arrays="fraction", uniform=uniform, tokens=2, denominator=6))
    found = with_two or smallest_of(search_of(file_of(case)))
    assert found.arrays == "fraction"
    assert (found.p, found.q) == (fractions(want["p"]), fractions(want["q"]))
    assert law_of_case(found) == expected(want)


@pytest.mark.parametrize("id_", [id_ for id_, case in CASES.items() if "V = 2" in case.get("note", "")])
def test_where_no_counterexample_exists_at_v_2_none_is_found(id_):
    found = audit_search(module_of(file_of(CASES[id_])).emit, arrays="fraction", tokens=2, denominator=12)
    assert found.coverage[0].pairs == len([*all_pairs(2, 12)])
    assert smallest_of(found) is None


def test_a_wrong_verifier_can_be_right_by_luck():
    case = CASES["resample-from-p"]
    found = audit(module_of(file_of(case)).emit, **case["also_lossless_at"])
    assert found.dist == fractions(case["also_lossless_at"]["p"])
    assert found.lossless


# ---- drafter and verifier apart


def standard(x, p, q, rng):
    if rng.random() * q[x] < p[x]:
        return x, True
    residual = np.maximum(p - q, 0)
    return rng.choice(len(p), p=residual / residual.sum()), False


DRAFTERS = {
    "top-k-draft-raw-q": lambda q, rng: rng.choice(len(q), p=module_of("top_k_draft_raw_q").top_k(q, 2)),
    "low-precision-draft": lambda q, rng: rng.choice(len(q), p=module_of("low_precision_draft").low_precision(q)),
}


@pytest.mark.parametrize("id_", [id_ for id_, case in CASES.items() if "drawn_from" in case])
def test_the_true_law_of_a_draft(id_):
    case, arrays = CASES[id_], options_of(file_of(CASES[id_]))["arrays"]
    q = np.array([float(x) for x in fractions(case["q"])])
    assert law_of(DRAFTERS[id_], q) == Law({x: pr for x, pr in enumerate(fractions(case["drawn_from"])) if pr})
    assert law_of_case(audit(standard, case["p"], case["q"], draft=DRAFTERS[id_], arrays=arrays)) == expected(case)


@pytest.mark.parametrize(
    ("id_", "q", "drawn_from"),
    [
        ("top-k-draft-raw-q", ["1/3", "1/3", "1/3"], ["1/2", "1/2", "0"]),
        ("low-precision-draft", ["1/2", "1/2"], ["129/256", "127/256"]),
    ],
)
def test_a_draft_that_is_not_drawn_from_the_q_it_reports_is_found(id_, q, drawn_from):
    draft = audit_search(standard, draft=DRAFTERS[id_], denominator=3).draft
    assert (draft.q, draft.drawn_from, draft.reported) == (fractions(q), fractions(drawn_from), fractions(q))
    assert draft.tv == sum(abs(a - b) for a, b in zip(draft.drawn_from, draft.q, strict=True)) / 2


def test_the_same_draft_with_the_law_that_it_is_drawn_from_is_right():
    top_k = module_of("top_k_draft_raw_q").top_k

    def draft(q, rng):
        cut = top_k(q, 2)
        return rng.choice(len(q), p=cut), cut

    found = audit_search(standard, draft=draft, denominator=3)
    assert found.draft is None
    assert found.smallest is None


# ---- the table of rules as programs


@pytest.mark.parametrize("name", RULES)
def test_a_rule_as_a_program_has_the_law_of_the_rule(name):
    rule = RULES[name]
    found = audit_search(sampler(rule), arrays="fraction", denominator=3)
    assert found.coverage[0].pairs == len([*all_pairs(3, 3)])
    for case in found.tried:
        got, want = case.formula, emission(rule, case.formula.p, case.formula.q)
        assert (got.dist, got.stuck) == (tuple(want.dist), want.stuck)
        assert rule.reports or got.alpha == want.alpha
    assert found.lossless is rule.lossless
    assert {rule.name for rule in found.rules} == same_law(name)


@cache
def laws_of(name):
    found = [emission(RULES[name], p, q) for V in (2, 3) for p, q in pairs(V, 4)]
    return [(one.dist, one.alpha) for one in found]


def same_law(name):
    """The rules of the table that emit and accept the same on all small pairs.

    A rule that misreports its acceptance is a right one, as a program that reports what it accepts.
    """
    mine = laws_of("standard" if RULES[name].reports else name)
    return {other for other, rule in RULES.items() if not rule.reports and laws_of(other) == mine}


# ---- our own sampler


def ours(p, q, rng):
    _draft, accepted, emitted = rejection_sample(p, q, rng)
    return emitted, accepted


def many_of_ours(p, q, rng):
    _draft, accepted, emitted = rejection_sample(p, q, rng, size=1)
    return int(emitted[0]), bool(accepted[0])


@pytest.mark.parametrize("emit", [ours, many_of_ours])
@pytest.mark.parametrize("uniform", ["ideal", "53"])
def test_our_sampler_is_lossless_and_maximal_within_its_rounding(emit, uniform):
    found = audit_search(emit, arrays="numpy", uniform=uniform, denominator=3)
    farthest = max((case.floats for case in found.tried), key=lambda one: one.tv)
    tv, bound, pairs_tried = farthest.tv, figure(farthest.ball / 2), len(found.tried)
    print(f"\n{emit.__name__}, {uniform}: TV from p on {pairs_tried} pairs <= {tv}, about {figure(tv)}; bound {bound}")
    assert found.lossless
    assert found.not_maximal is None
    assert all(case.floats.rounding <= case.floats.ball and not case.floats.others for case in found.tried)
    assert farthest.tv > 0  # its law is that of floats, and not the formula's
    for case in found.tried:
        assert all(pr == 0 for pr, p in zip(case.floats.dist, case.floats.p, strict=True) if p == 0)


def test_a_fault_in_our_sampler_would_be_found(monkeypatch):
    monkeypatch.setattr(rejection, "inverse_cdf", lambda weights, u: np.searchsorted(np.cumsum(weights), u))
    assert not audit_search(ours, arrays="numpy", denominator=2).lossless
