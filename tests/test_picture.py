"""The two pictures: their areas are the masses of the derivation, and anybody can read them."""

import re
import xml.etree.ElementTree as ET
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from exact import total_variation
from exact.reading import read_laws, show
from exact.rules import RULES, emission
from proof import picture as module
from proof.paper import AS_GIVEN, EXAMPLE, pictures
from proof.picture import BAR, Bar, Part, overlap_bar, overlap_picture, redraw_picture
from proof.rejection import world_of

ROOT = Path(__file__).parent.parent
SVG = "{http://www.w3.org/2000/svg}"
PICTURES = pictures()
PAIRS = [
    EXAMPLE,
    read_laws(["1/2", "1/2"], ["3/4", "1/4"]),
    read_laws([1, 0], [0, 1]),
    read_laws(["1/7", "2/7", 0, "4/7"], [0, "2/7", "5/7", 0]),
    read_laws(["1/2", "1/2"], ["1/2", "1/2"]),
    read_laws([1], [1]),
    read_laws(["1/1009", "1008/1009"], ["1008/1009", "1/1009"]),
]
both = pytest.mark.parametrize("shown", PICTURES, ids=lambda shown: shown.name)


def root(svg):
    return ET.fromstring(svg)


def bars(svg):
    """The rectangles of the bars, without those of the key: (kind, x, y, width, height), all of them whole numbers."""
    group = next(g for g in root(svg).iter(f"{SVG}g") if g.get("id").endswith("-bars"))
    names = ("x", "y", "width", "height")
    return [(r.get("class"), *(int(r.get(name)) for name in names)) for r in group.iter(f"{SVG}rect")]


def area(svg, kind):
    return sum(width * height for found, _x, _y, width, height in bars(svg) if found == kind)


def per_token(svg, kind, V):
    """Heights of one kind, token by token, from left to right."""
    heights = dict.fromkeys(range(V), 0)
    for found, x, _y, _width, height in bars(svg):
        if found == kind:
            heights[x // module.TOKEN] += height
    return list(heights.values())


def unit(svg, p):
    """How high probability 1 is, from the outline of p."""
    heights = per_token(svg, "p", len(p))
    return next(height / mass for height, mass in zip(map(Fraction, heights), p, strict=True) if mass)


# ---- the files


@both
def test_the_file_in_the_repository_is_what_the_code_gives(shown):
    assert (ROOT / shown.path).read_bytes() == shown.svg.encode("ascii")
    assert {f.name for f in (ROOT / module.FOLDER).iterdir()} == {Path(other.path).name for other in PICTURES}


@both
def test_it_is_small_and_holds_nothing_that_runs_or_comes_from_elsewhere(shown):
    assert len(shown.svg.encode()) < 6000
    assert shown.svg.endswith("</svg>\n")
    assert re.findall(r"https?://[^\"]*", shown.svg) == ["http://www.w3.org/2000/svg"]
    assert re.findall(r"<script|href|@import|@font-face|on\w+=|<image|<foreignObject|<!", shown.svg) == []
    assert {node.tag.removeprefix(SVG) for node in root(shown.svg).iter()} == {
        "svg", "title", "desc", "style", "pattern", "path", "rect", "text", "g",
    }  # fmt: skip


@both
def test_every_coordinate_is_a_whole_number_and_the_bytes_are_the_same_again(shown):
    for node in root(shown.svg).iter():
        for name in ("x", "y", "width", "height", "rx"):
            assert re.fullmatch(r"\d+", node.get(name, "0"))
    assert pictures() == PICTURES


@both
def test_title_and_description_are_there_and_named(shown):
    svg = root(shown.svg)
    assert svg.get("role") == "img"
    ids = {node.get("id"): node for node in svg.iter() if node.get("id")}
    title, description = (ids[name] for name in svg.get("aria-labelledby").split())
    assert (title.tag, title.text) == (f"{SVG}title", shown.title)
    assert (description.tag, description.text) == (f"{SVG}desc", shown.description)
    assert list(svg)[:2] == [title, description]


@both
def test_ids_are_of_this_picture_alone_and_every_reference_has_its_target(shown):
    ids = [node.get("id") for node in root(shown.svg).iter() if node.get("id")]
    assert len(ids) == len(set(ids))
    assert all(name.startswith(f"{shown.name}-") for name in ids)
    referred = re.findall(r"url\(#(.*?)\)", shown.svg)
    assert referred
    assert set(referred) <= set(ids)


# ---- the numbers


def test_the_description_has_the_numbers_of_the_derivation():
    world = world_of(*EXAMPLE)
    words = PICTURES[0].description
    for x in range(world.V):
        for f in (module.p, module.q):
            assert f"{f.name}({x}) = {show(world.value(f('x'), {'x': x}))}" in words
        for f in (module.m, module.r, module.e):
            value = world.value(f("x"), {"x": x})
            assert (f"{f.name}({x}) = {show(value)}" in words) == (value != 0)
    assert words.count(f"Z = {show(world.value(module.Z))}") == 2
    assert f"accepted, {show(world.value(module.alpha))} in all" in words


def test_the_description_of_the_wrong_rule_has_the_numbers_of_the_table():
    law, words = emission(RULES["redraw-from-p"], *EXAMPLE).dist, PICTURES[1].description
    assert law != EXAMPLE[0]
    for x, (got, wanted) in enumerate(zip(law, EXAMPLE[0], strict=True)):
        said = f"{show(abs(got - wanted))} too {'high' if got > wanted else 'low'}"
        assert re.search(rf"Token {x}: emitted {show(got)}, p\({x}\) = {show(wanted)}, .*?, {said}\. ", words)
    assert f"TV = {show(total_variation(law, EXAMPLE[0]))}" in words
    assert f"TV = {show(total_variation(law, EXAMPLE[0]))}" in PICTURES[1].title


def test_what_is_written_in_the_picture_is_in_its_description():
    for shown in PICTURES:
        numbers = [node.text for node in root(shown.svg).iter(f"{SVG}text") if re.search(r"\d", node.text)]
        assert numbers
        assert [words for words in numbers if words[1:] not in shown.description and "token" not in words] == []


def test_a_token_that_is_right_is_called_right():
    p, q = read_laws(["1/2", "1/2", 0], ["1/4", "1/4", "1/2"])
    shown = redraw_picture(p, q)
    assert "TV = 0" in shown.title
    assert shown.description.count(", right. ") == 3


# ---- the areas


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_excess_and_residual_have_the_same_area_and_every_area_is_a_mass(pair):
    world, svg = world_of(*pair), overlap_picture(*pair).svg
    assert area(svg, "excess") == area(svg, "residual") == unit(svg, pair[0]) * world.value(module.Z) * BAR
    assert area(svg, "overlap") == unit(svg, pair[0]) * world.value(module.alpha) * BAR
    for kind, f in (
        ("p", module.p),
        ("q", module.q),
        ("overlap", module.m),
        ("excess", module.e),
        ("residual", module.r),
    ):
        masses = [world.value(f("x"), {"x": x}) for x in range(world.V)]
        assert per_token(svg, kind, world.V) == [unit(svg, pair[0]) * mass for mass in masses]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_accepted_and_redrawn_are_stacked_to_what_the_rule_emits(pair):
    svg, law = redraw_picture(*pair).svg, emission(RULES["redraw-from-p"], *pair).dist
    stacked = [a + b for a, b in zip(*(per_token(svg, kind, len(law)) for kind in ("overlap", "redrawn")), strict=True)]
    assert stacked == [unit(svg, pair[0]) * mass for mass in law]
    assert per_token(svg, "p", len(law)) == [unit(svg, pair[0]) * mass for mass in pair[0]]


@pytest.mark.parametrize("draw", [overlap_picture, redraw_picture])
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_the_parts_of_a_bar_stand_on_each_other_without_gap_or_overlap(pair, draw):
    svg = draw(*pair).svg
    foot = int(re.search(r'<path class="p" d="M\d+ (\d+)H', svg)[1])
    for x in range(len(pair[0])):
        here = [bar for bar in bars(svg) if bar[1] // module.TOKEN == x]
        parts = [bar for bar in here if bar[0] not in ("p", "q")]
        assert all(
            y + height == foot for _kind, _x, y, _width, height in (*parts[:1], *(b for b in here if b not in parts))
        )
        assert all(upper[2] + upper[4] == lower[2] for lower, upper in pairwise(parts))


def drawn_from(world):
    """The picture of a world that nobody checks: what `overlap_picture` would draw of it."""
    return module.picture("overlap", "title", {"overlap": "key", "excess": "key", "residual": "key"}, [
        overlap_bar(world, x) for x in range(world.V)
    ]).svg  # fmt: skip


def test_a_wrong_world_has_other_areas():
    assert area(drawn_from(world_of(*EXAMPLE)), "excess") == area(drawn_from(world_of(*EXAMPLE)), "residual") > 0
    other_sums = drawn_from(world_of(*AS_GIVEN))
    assert area(other_sums, "excess") != area(other_sums, "residual")
    world = world_of(*EXAMPLE)
    world.definitions["e"] = ("x", module.q("x"))  # the excess without its subtraction
    assert area(drawn_from(world), "excess") != area(drawn_from(world), "residual")


def test_a_world_in_which_the_areas_differ_is_not_drawn():
    with pytest.raises(ArithmeticError, match="do not have the same mass"):
        overlap_picture(*AS_GIVEN)


# ---- readable


def boxes(svg):
    """(left, top, right, bottom) of each text, each letter taken as wide as 0.66 of its height; most are narrower."""
    size = int(re.search(r"font:(\d+)px", svg)[1])
    for node in root(svg).iter(f"{SVG}text"):
        x, y = int(node.get("x")), int(node.get("y"))
        yield x, y - size, x + Fraction(66, 100) * size * len(node.text), y + size // 3


def inside(svg):
    left, top, right, bottom = map(int, root(svg).get("viewBox").split())
    return all(a >= left and b >= top and c <= right and d <= bottom for a, b, c, d in boxes(svg))


def overlapping(svg):
    every = list(boxes(svg))
    return [(a, b) for i, a in enumerate(every) for b in every[:i]
            if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]]  # fmt: skip


@both
def test_no_text_is_cut_or_lies_on_another_or_is_tiny(shown):
    assert inside(shown.svg)
    assert overlapping(shown.svg) == []
    width = int(root(shown.svg).get("width"))
    assert int(re.search(r"font:(\d+)px", shown.svg)[1]) * 45 > width  # it can be read where a page shrinks it


def test_a_text_that_is_cut_and_one_that_lies_on_another_would_be_seen():
    long = [Bar((Part("overlap", Fraction(1), "a label that is far too long " * 3),), {}, "", ())]
    assert not inside(module.picture("n", "t", {"overlap": "key"}, long).svg)
    thin = (Part("overlap", Fraction(1, 100), "lower"), Part("excess", Fraction(1, 100), "upper"))
    crowded = [Bar(thin, {"p": Fraction(1)}, "", ())]
    assert overlapping(module.picture("n", "t", {"overlap": "key", "excess": "key"}, crowded).svg)


def luminance(colour):
    channels = [Fraction(int(colour[i : i + 2], 16), 255) for i in (1, 3, 5)]
    linear = [
        float(c) / 12.92 if c <= Fraction(4045, 100000) else ((float(c) + 0.055) / 1.055) ** 2.4 for c in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_words_and_lines_stand_out_from_the_paper_in_both_modes(mode):
    colours = {kind: pair[mode] for kind, pair in module.COLOURS.items()}
    assert contrast(colours["ink"], colours["paper"]) > 7
    assert all(contrast(colours[kind], colours["paper"]) > 4.5 for kind in module.HATCHES)
    assert contrast(colours["ink"], colours["overlap"]) > 4.5  # outlines lie on it
    assert contrast("#777777", "#ffffff") < 4.5 < contrast("#767676", "#ffffff")  # as is known of these greys


@both
def test_both_modes_are_in_the_style_and_colour_is_not_all_that_tells_the_parts_apart(shown):
    light, dark = re.search(
        r"<style>(.*)@media\(prefers-color-scheme:dark\)\{(.*)\}\n</style>", shown.svg, re.S
    ).groups()
    kinds = {kind for kind, *_ in bars(shown.svg)}
    for mode, style in enumerate((light, dark)):
        for kind in ("paper", *(kinds - {"p", "q"})):
            assert re.search(rf"\.{kind}[{{,][^}}]*{module.COLOURS[kind][mode]}", style)
    hatched = {kind: module.HATCHES[kind] for kind in kinds if kind in module.HATCHES}
    assert len(set(hatched.values())) == len(hatched) >= 1
    assert {*kinds} - {*hatched} - {"p", "q"} == {"overlap"}  # the one plain area
    assert ".q{stroke-dasharray" in light


# ---- where the paper shows them


def test_the_paper_links_both_files_beside_it_with_their_numbers():
    paper = (ROOT / "paper.md").read_text(encoding="utf-8")
    links = re.findall(r"^!\[(.*)\]\((.*)\)$", paper, re.M)
    assert links == [(f"{shown.title}. {shown.description}", shown.path) for shown in PICTURES]
    assert all((ROOT / path).is_file() for _alt, path in links)
    assert paper.index(PICTURES[0].path) < paper.index("## 1. Two laws")
    assert paper.index("## Common wrong rules") < paper.index(PICTURES[1].path) < paper.index("## 10. ")


def test_the_words_in_the_place_of_a_picture_come_through_commonmark():
    from markdown_it import MarkdownIt

    for shown in PICTURES:
        (image,) = MarkdownIt("commonmark").parse(shown.markdown)[1].children
        assert (image.type, image.attrs["src"], image.content) == (
            "image",
            shown.path,
            f"{shown.title}. {shown.description}",
        )
