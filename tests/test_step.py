"""`samelaw step`, as a learner meets it: screens, keys, options, and what is refused."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from dataclasses import replace
from fractions import Fraction

import pytest

from exact.reading import Numbers
from exact.rules import RULES, WRONG, emission
from proof.front import step as module
from proof.floating import NUMBER
from proof.front.keys import MORE, go_through
from proof.front.step import seeded_pair
from proof.lessons import tour as lessons_tour
from proof.lessons.tour import to_the_theorem, tour, tour_of_rule
from proof.rejection import CHAPTERS, EXAMPLE, STEPS, D, step, world_of
from proof.statement import At, eq

MANY = ",".join(["1/40"] * 40)
LUCKY = ("--p", "1/2,1/2,0", "--q", "1/4,1/4,1/2")  # redrawing from p is right there


@pytest.fixture
def lines(run):
    """The lines of a command that holds."""

    def lines(*arguments):
        code, out, err = run("step", *arguments)
        assert (code, err) == (0, "")
        return out.splitlines()

    return lines


# ---- everything at once


def test_every_line_is_shown_in_order_and_holds(lines):
    text = lines("--all")
    heads = [line for line in text if re.match(r"\(\d+\) [a-z]", line)]
    assert [line.split()[1] for line in heads] == [s.label for s in STEPS]
    assert not any("FAILS" in line for line in text)
    assert lines() == text  # no terminal: the same


def test_the_question_comes_first_with_the_exact_distance_and_the_reason_last(lines):
    text = " ".join(" ".join(lines()).split())
    assert "Would it do to accept every draft?" in text
    assert "instead of (1/2, 1/3, 1/6): off by 1/3, the total variation" in text
    assert "Why the residual, and not p?" in text.partition("(67) accept-all-lossless")[2]
    wrong = emission(RULES["redraw-from-p"], *EXAMPLE).dist
    assert f"0 1/2 1/6 1/3 1/6 + 1/3 * 1 = 1/2 1/6 + 1/3 * 1/2 = {wrong[0]}" in text


def law(text):
    return Numbers(map(Fraction, text.split(",")))


def test_decimals_and_percentages_are_read_exactly(lines):
    assert "    0.3" not in "\n".join(lines("--p", "0.1,20%,7/10", "--q", "0.3,0.3,0.4"))
    assert "    1/10 + 1/5 + 7/10 = 1" in lines("--p", "0.1,20%,7/10", "--q", "0.3,0.3,0.4")


def test_a_file_is_read_exactly(lines, tmp_path):
    file = tmp_path / "pair.json"
    for text in ('{"p": [0.1, "1/5", "70%"], "q": [0.3, 0.3, 0.4]}', '[{"p": [0.1, 0.2, 0.7], "q": [0.3, 3e-1, 0.4]}]'):
        file.write_text(text)
        assert lines("--file", file) == lines("--p", "1/10,1/5,7/10", "--q", "3/10,3/10,2/5")


def test_a_seed_gives_the_same_pair_again_and_says_so(lines):
    assert lines("--random", 5) == lines("--random", 5) != lines("--random", 6)
    assert lines("--random", 5)[0] == "(the pair of seed 5)"
    for seed in range(200):
        p, q = seeded_pair(seed)
        assert p != q
        assert sum(p) == sum(q) == 1
        assert any(map(min, p, q))


@pytest.mark.parametrize(
    "pair",
    [("1", "1"), ("1,0", "0,1"), ("1/2,1/2", "1/2,1/2"), ("1/3,1/3,1/3,0,0,0", "0,0,0,1/3,1/3,1/3"), LUCKY[1::2]],
)
def test_edge_pairs_hold_in_every_view(lines, pair):
    for view in ([], ["--float"], ["--draw"], ["--why"], ["--break", "redraw-from-p"]):
        assert lines("--p", pair[0], "--q", pair[1], *view)


def test_where_a_case_is_not_that_of_the_pair_the_line_is_shown_with_q_equal_to_p(lines):
    text = "\n".join(lines())
    assert "    Not on your pair: this line is for the case Z = 0. With q = p it is:\n    0 + 0 + 0 = 0" in text
    assert "Not on your pair: this line is for the case Z > 0." in "\n".join(lines("--p", "1/2,1/2", "--q", "1/2,1/2"))


def test_json_has_every_line_with_its_values(run):
    code, out, _ = run("step", "--json")
    report = json.loads(out)
    assert code == 0
    assert report["holds"] is True
    assert [line["label"] for line in report["lines"]] == [s.label for s in STEPS]
    emitted = next(line for line in report["lines"] if line["label"] == "emitted-law")
    assert [row["left"] for row in emitted["rows"]] == report["p"] == ["1/2", "1/3", "1/6"]
    assert emitted["assumes"] == ["p(x) >= 0", "sum_x p(x) = 1", "q(x) >= 0", "sum_x q(x) = 1"]
    floats = json.loads(run("step", "--json", "--float")[1])["lines"][2]["floats"]
    assert [row["left"] for row in floats] == [1 / 6, 1 / 3, 1 / 6]


def test_a_false_line_ends_with_exit_code_1(run, monkeypatch):
    false = step("emitted-law").__class__("emitted-law", eq(D("x"), At("q", "x")), "ring", prose="A slip.")
    monkeypatch.setattr(lessons_tour, "STEPS", [false if s.label == "emitted-law" else s for s in STEPS])
    code, out, _ = run("step")
    assert code == 1
    assert "1/2 is not 1/6   FAILS" in out
    assert "these lines do not hold: emitted-law" in out
    assert run("step", "--p", "1/2,1/2", "--q", "1/2,1/2")[0] == 0  # where D is q as well


def test_why_says_the_rule_and_the_smallest_pair_without_each_hypothesis(lines):
    text = " ".join(" ".join(lines("--why")).split())
    assert "Why is (13) residual-mass allowed? By ring: take the lines under Uses" in text
    assert "It assumes sum_x p(x) = 1. Without that, at p = 0 and q = 0: 0 is not 1." in text
    assert "p(x) >= 0 and q(x) >= 0: the proof here uses that, though none of 1,332 pairs tried, of one or two" in text
    assert "one side of the line is true, and the other false." in text
    assert "It assumes nothing about p and q." in text


# ---- floats, draws, wrong rules


def test_floats_show_what_rounds_and_by_how_much(lines):
    text = lines("--float", "--p", "0.1,0.2,0.7", "--q", "0.3,0.3,0.4")
    assert "    2  0.29999999999999993  0.29999999999999993  -1.2, -1.2    the same" in text
    assert "    rounds: 0.1 / 0.3, by 0.111 ulp" in text
    assert any("does not hold" in line for line in lines("--float", "--random", 1)) or any(
        "not the same" in line for line in lines("--float", "--random", 1)
    )
    assert "All your numbers are floats." in " ".join(lines("--float", "--p", "1/2,1/2", "--q", "1/4,3/4"))


def test_a_draw_adds_up_to_p_and_a_wrong_sampler_does_not(lines, run, monkeypatch):
    text = lines("--draw")
    assert "0      1/6           1/3      1/2       1/2" in text
    assert "Together they are p, exactly." in text
    assert "If token 0 came out, was it the draft's? With probability 1/3." in text
    assert "Together they are NOT p." in lines("--draw", "--break", "redraw-from-p")
    monkeypatch.setattr(module, "RULES", {"standard": replace(RULES["redraw-from-p"], breaks="")})
    code, out, _ = run("step", "--draw")
    assert code == 1
    assert "Together they are NOT p." in out


def test_a_draw_with_a_rule_that_draws_nothing_says_so(lines):
    text = lines("--draw", "--break", "unnormalised-residual")
    assert "        redraw nothing: 2/3  -> nothing comes out: 1/2 * 2/3 * 2/3 = 2/9" in text
    assert any("token 0 (probability 1/3)" in line and "nothing (probability 2/3)" in line for line in text)


@pytest.mark.parametrize("name", WRONG)
def test_every_wrong_rule_is_stopped_where_a_line_breaks(lines, run, name):
    text = lines("--break", name)
    fails = [i for i, line in enumerate(text) if line.endswith("FAILS")]
    last = max(i for i, line in enumerate(text) if re.match(r"\(\d+\) [a-z-]+ {2}", line))
    assert fails
    assert all(i > last for i in fails)
    whole = " ".join(" ".join(text).split())
    assert f"no longer holds with {name}: here the proof breaks." in whole
    assert "The smallest pair where one sees it: p = " in whole
    assert f"{name} is right on " in whole
    report = json.loads(run("step", "--break", name, "--json")[1])
    p, q = (Numbers(map(Fraction, report["smallest"][side])) for side in "pq")
    assert emission(WRONG[name], p, q).dist != p or WRONG[name].reports
    assert report["first_line"]["holds"] is False


def test_a_line_that_fails_says_why_and_not_why_it_held(lines):
    text = lines("--break", "redraw-from-p")
    assert "It fails: on rejection draw from p instead of the residual." in text
    assert text[-1] == "and on no other."
    whole = "\n".join(text).partition("(36) redrawn-if-mass ")[2]
    assert "With the right rule: Rejection has probability Z" in whole
    assert "\nWhy: " not in whole


def test_lines_say_in_which_case_they_hold_and_which_are_the_theorem(lines):
    text = "\n".join(lines())
    assert "    beta rho(x) = r(x), where Z > 0\n" in text
    assert "(37) beta rho(x) = r(x), where Z = 0\n" in text
    assert " ".join(text.split()).count("This is the theorem.") == 2


def test_where_the_wrong_rule_is_right_the_walk_goes_on_at_the_smallest_pair(lines):
    whole = " ".join(" ".join(lines("--break", "redraw-from-p", *LUCKY)).split())
    assert (
        "it emits 1/2, 1/2, 0, which is right, as on every small pair with a residual in the proportions of p. So what"
        in whole
    )
    assert "proportions of p. So what follows is at p = 1/2, 1/2 and q = 0, 1." in whole
    assert "1/4 is not 0 FAILS" in whole


def test_a_rule_that_breaks_no_line_is_exit_code_1(run, monkeypatch):
    monkeypatch.setattr(module, "wrong_rule", lambda name: RULES["standard"])
    monkeypatch.setattr(lessons_tour, "smallest_wrong", lambda rule: seeded_pair(1))
    code, out, _ = run("step", "--break", "standard")
    assert code == 1
    assert "Every line holds with standard: nothing here shows that it is wrong." in out


# ---- keys


@pytest.fixture(autouse=True)
def tall(monkeypatch):
    monkeypatch.setenv("LINES", "60")


HERE = tour(*EXAMPLE)
HURRY = [page.number for page in HERE.pages if page.on_the_way and page.shown]


def gone_through(*keys, walk=HERE):
    """The screens that these keys show."""
    typed, shown = iter(keys), []
    go_through(walk, lambda prompt: next(typed), shown.append)
    assert next(typed, None) is None
    return shown


def numbers_of(screens):
    return [int(found[1]) if (found := re.match(r"\((\d+)\)", page[0])) else page[0][:5] for page in screens]


def test_enter_leads_straight_to_the_theorem_and_says_what_it_leaves_out():
    shown = gone_through(*[""] * (len(HURRY) + 4))
    assert numbers_of(shown) == ["A lar", "Befor", "It wo", *HURRY, "Why t"]
    assert {"emitted-law", "alpha", "redrawn-mass", "overlap"} <= to_the_theorem()
    assert NUMBER["zero-residual"] not in HURRY
    after_gap = shown[3 + HURRY.index(20)]
    assert (
        after_gap[-1]
        == "(left out: line 19, not about your pair, or not needed for the theorem; b, then l, for every line)"
    )
    for label in to_the_theorem():
        assert {*step(label).cites} <= to_the_theorem()


def test_l_leads_through_every_line():
    shown = gone_through(*["l"] * len(HERE.pages))
    assert numbers_of(shown)[3:-1] == [*range(1, len(STEPS) + 1)]


def test_keys_lead_back_to_a_line_to_the_next_chapter_and_to_the_end():
    shown = gone_through("", "", "", "", "b", "b", "b", "b", "b", "j 40", "n", "j  67 ", "b", "e", "b", "q")
    there = ["A lar", "Befor", "It wo", 1, 2, 1, "It wo", "Befor", "A lar", "A lar", 40, 41, 67, 41, "Why t", 41]
    assert numbers_of(shown) == there
    starts = [next(page.number for page in HERE.pages if page.on_the_way and page.chapter == c) for c in CHAPTERS if
              any(page.on_the_way and page.chapter == c for page in HERE.pages)]  # fmt: skip
    assert numbers_of(gone_through("n", *["n"] * len(starts), "")) == ["A lar", *starts, "Why t"]


def test_a_key_after_a_question_mark_or_a_part_is_that_key():
    assert numbers_of(gone_through("j 13", "?", "n", "q"))[-1] == 18
    assert len(gone_through("j 13", "?", "q")) == 3


def test_back_from_the_end_leads_back_also_after_a_key_that_stays():
    assert numbers_of(gone_through("j 40", "e", "n", "e", "b", "q"))[-1] == 40


def test_a_question_mark_says_why_and_goes_back_to_the_line():
    shown = gone_through("j 13", "?", "", "q")
    assert numbers_of(shown)[1::2] == [13, 13]
    assert shown[2][0] == "Why is (13) residual-mass allowed?"
    assert gone_through("?", "q")[1][-1] == "(here is nothing to prove yet)"


@pytest.mark.parametrize("key", ["x", "j", "j 0", "j 68", "j x", "j -1", "jj 3", "j 99999999999999999999", "j ³", "Q"])
def test_another_key_says_so_and_stays(key):
    shown = gone_through("j 1", key, "q")
    assert numbers_of(shown) == ["A lar", 1, 1]
    assert "is no key here" in shown[2][-1]
    assert ("lines are 1 to 67" in shown[2][-1]) == key.startswith("j")


def test_every_screen_fits_where_the_pair_does(monkeypatch):
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("COLUMNS", "100")
    shown = gone_through(*["l"] * len(HERE.pages))
    assert len(shown) == len(HERE.pages)
    assert all(len(page) <= 22 for page in shown)
    assert sum("# overlap" in "\n".join(page) for page in shown[3:-1]) > len(STEPS) / 3


def test_with_a_wrong_rule_enter_shows_the_lines_that_it_changes():
    broken = tour_of_rule(WRONG["redraw-from-p"], *EXAMPLE)
    changed = [page.number for page in broken.pages if page.on_the_way and page.shown]
    assert changed[0] == NUMBER["replacement"]
    assert changed[-1] == NUMBER["redrawn-if-mass"]
    shown = gone_through(*[""] * (len(changed) + 2), walk=broken)
    assert numbers_of(shown) == ["redra", *changed, 36]
    assert shown[-1][0].startswith("(36) redrawn-if-mass no longer holds")
    assert "lines 1-31, with the same numbers as the right rule has" in " ".join(shown[1][-2:])


@pytest.mark.parametrize("typed", [b"j 1\n\nj 5\n?\n\nq\n", b"j 1\n\x04"])
def test_a_terminal_gets_one_screen_at_a_time(typed):
    text = on_a_terminal(typed, 100)
    assert "Enter on, l every line" in text
    assert "(1) p-sums-to-1" in text
    assert "(67)" not in text
    assert ("Why is (5) accepted-mass allowed?" in text) == (b"?" in typed)


def everything(handle):
    parts = []
    while True:
        try:
            part = os.read(handle, 65536)
        except OSError:  # what Linux says when the other end is closed
            part = b""
        if not part:
            return b"".join(parts).decode()
        parts.append(part)


# ---- what is refused


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--p", "1/2,1/2"], "--p and --q: a pair has both"),
        (["--p", "1/2,1/3", "--q", "1,0"], "p sums to 5/6"),
        (["--p", "1,x", "--q", "1,0"], "p[1]='x'"),
        (["--p", "1,0", "--q", "1,0,0"], "p has 2 entries but q has 3 entries"),
        (["--p", "", "--q", "1"], "p[0]=''"),
        (["--p", "-1,2", "--q", "1,0"], "p[0]=-1"),
        (["--p", "nan,1", "--q", "1,0"], "p[0]='nan'"),
        (["--p", "1,0", "--q", "1,0", "--random", "1"], "--p and --random: one pair at a time"),
        (["--random", "-1"], "seed=-1"),
        (["--random", "x"], "seed=x"),
        (["--file", "nowhere.json"], "file=nowhere.json: it cannot be read"),
        (["--break", "standard"], "rule=standard: it is no wrong rule of the table; take one of redraw-from-p, "),
        (["--break", ""], "rule=: it is no wrong rule"),
        (["--break", "redraw-from-p", "--float"], "--float and --break"),
        (["--draw", "--float"], "--draw and --float: a draw is shown in fractions alone"),
        (["--draw", "--why"], "--draw and --why: a draw is shown in fractions alone"),
        (["--draw", "--break", "standard"], "rule=standard: it is no wrong rule"),
        (["--p", MANY, "--q", MANY], "p has 40 tokens: a lesson shows at most 24 of them"),
        (["--fast"], "unrecognized arguments: --fast"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(refused, monkeypatch, arguments, said):
    monkeypatch.setenv("LINES", "24")
    assert said in refused("step", *arguments)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "3", '{"p": [1]}', '{"p": 1, "q": [1]}', '{"p": [1, "x"], "q": [1, 0]}', '{"p": [], "q": []}',
     '{"p": [1], "q": [1], "p": [1]}',
     '{"p": [NaN], "q": [1]}', '{"p": [1e999], "q": [1]}', '{"p": [[1]], "q": [1]}', "[" * 100_000],
)  # fmt: skip
def test_a_file_that_is_no_pair_is_one_line(refused, tmp_path, text):
    file = tmp_path / "pair.json"
    file.write_text(text)
    assert refused("step", "--file", file)


def test_24_tokens_are_shown_in_parts(lines, monkeypatch):
    many = ",".join(["1/24"] * 24)
    assert lines("--p", many, "--q", many)
    monkeypatch.setenv("LINES", "24")
    typed, shown = iter(["", "", "", "", "q"]), []
    many_tokens = tour(law(many), law(many))
    go_through(many_tokens, lambda prompt: shown.append(prompt) or next(typed), lambda page: shown.append(len(page)))
    assert MORE in shown
    assert all(page <= 21 for page in shown if isinstance(page, int))


def test_the_width_is_that_of_the_terminal():
    for columns in (60, 80, 140):
        text = on_a_terminal(b"l\n" * 40 + b"q\n", columns)
        widest = max(
            len(line)
            for line in text.replace("\x1b[2J\x1b[H", "\n").splitlines()
            if "in numbers" not in line and "  -  " not in line
        )
        assert columns - 20 < widest <= max(columns, 81)  # the prompt has 81


def on_a_terminal(typed, columns):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        [sys.executable, "-m", "samelaw", "step"], stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
        env={**environment, "TERM": "xterm"},
    ) as process:  # fmt: skip
        os.close(theirs)
        os.write(ours, typed)
        text = everything(ours)
        assert process.wait() == 0
    os.close(ours)
    return text


def test_a_closed_input_and_a_strange_width_are_no_trouble(lines, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    for columns in ("99999999999999999999", "0", "-5", "x", ""):
        monkeypatch.setenv("COLUMNS", columns)
        assert max(map(len, lines())) <= 400


def test_what_is_refused_is_an_object_with_json(run):
    for arguments, said in ((["--break", "nonsense"], "no wrong rule"), (["--why"], "the reasons are text for people")):
        code, out, err = run("step", "--json", *arguments)
        assert (code, json.loads(out)["exit_code"]) == (2, 2)
        assert said in json.loads(out)["error"] in err


def test_rules_are_listed(lines, run):
    assert [line.split()[0] for line in lines("--break", "list") if line[0] != " "] == [*WRONG]
    assert [*json.loads(run("step", "--break", "list", "--json")[1])["rules"]] == [*WRONG]


def test_the_lesson_needs_no_sympy():
    code = "import sys; from proof.front.cli import main; main(['step']); sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL).returncode == 0


def test_a_reader_that_stops_reading_is_no_error():
    whole = subprocess.run("python -m samelaw step | head -3", shell=True, capture_output=True, text=True)
    assert whole.stderr == ""
    assert len(whole.stdout.splitlines()) == 3


def test_the_numbers_of_the_lesson_are_those_of_the_world(lines):
    world = world_of(*EXAMPLE)
    emitted = [str(world.value(D("x"), {"x": x})) for x in range(3)]
    text = lines()
    start = next(i for i, line in enumerate(text) if line.startswith("(40) emitted-law"))
    assert [line.split()[1] for line in text[start + 5 : start + 8]] == emitted
