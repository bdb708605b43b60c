"""Two pictures of the theorem at one pair, as SVG: why the residual is redrawn, and what redrawing from p does instead.

Every number comes from the derivation or from the table of rules.  A bar is one token, a height a probability, and
all bars are equally wide, so that equal areas are equal masses.  Every coordinate is a whole number: a picture is the
same bytes everywhere, and its areas can be compared with ==.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import lcm

from exact import total_variation
from exact.reading import Number, Numbers, show
from exact.rules import RULES, emission
from proof.evaluate import World
from proof.notation import plain
from proof.rejection import Z, alpha, e, m, p, q, r, step, world_of
from proof.statement import Function

FOLDER = "proof/figures"  # beside the paper that shows them
REDRAW_FROM_P = RULES["redraw-from-p"]

MARGIN, LINE, TOKEN, BAR, BESIDE, TALLEST = 20, 26, 210, 72, 12, 240  # units of the viewBox
UP, DOWN = "M-2 2l4-4M0 10L10 0M8 12l4-4", "M-2 8l4 4M0 0L10 10M8-2l4 4"
HATCHES = {"excess": DOWN, "residual": UP, "redrawn": UP}
GREEN = ("#1a7f37", "#3fb950")
COLOURS = {  # on light, on dark
    "paper": ("#ffffff", "#0d1117"),
    "ink": ("#1f2328", "#e6edf3"),
    "overlap": ("#b6d4fe", "#1f4b87"),
    "excess": ("#bc4c00", "#f0883e"),
    "residual": GREEN,
    "redrawn": GREEN,
}


@dataclass(frozen=True)
class Picture:
    """name: of the file; title: what it shows; description: its numbers in words; svg: its bytes."""

    name: str
    title: str
    description: str
    svg: str

    @property
    def path(self) -> str:
        return f"{FOLDER}/{self.name}.svg"

    @property
    def markdown(self) -> str:
        return f"![{self.title}. {self.description}]({self.path})"


@dataclass(frozen=True)
class Part:
    """A piece of a bar: its kind, its mass, and what is written beside it."""

    kind: str
    mass: Number
    label: str


@dataclass(frozen=True)
class Bar:
    """One token: parts from the bottom up, outlines by kind, a word above and lines below."""

    parts: tuple[Part, ...]
    outlines: dict[str, Number]
    above: str
    below: tuple[str, ...]


# ---- the right rule


def overlap_picture(target: Numbers, draft: Numbers) -> Picture:
    """p and q over each other: what both have is accepted; what sticks out of q goes to where p sticks out.

    >>> from exact.reading import read_laws
    >>> half = read_laws(["1/2", "1/2"], ["3/4", "1/4"])
    >>> overlap_picture(*half).title
    'p and q over each other: excess and residual have the same mass, Z = 1/4'
    """
    world = world_of(target, draft)
    Z_shown = f"Z = {show(world.value(Z))}"
    key = {
        "overlap": f"overlap m: drafted and accepted, {show(world.value(alpha))} in all",
        "excess": f"excess e, q above p: rejected, {Z_shown}",
        "residual": f"residual r, p above q: filled by the redraw, {Z_shown}",
        "p": "target p",
        "q": "draft q",
    }
    bars = [overlap_bar(world, x) for x in range(world.V)]
    if not world.holds(step("excess-mass").statement):
        raise ArithmeticError("excess and residual of the picture do not have the same mass")
    title = f"p and q over each other: excess and residual have the same mass, {Z_shown}"
    return picture("overlap", title, key, bars)


def overlap_bar(world: World, x: int) -> Bar:
    parts = (
        Part(kind, at(world, f, x), said(world, f, x)) for kind, f in (("overlap", m), ("excess", e), ("residual", r))
    )
    outlines = {"p": at(world, p, x), "q": at(world, q, x)}
    return Bar(tuple(parts), outlines, "", (said(world, p, x), said(world, q, x)))


def at(world: World, f: Function, x: int) -> Number:
    return world.value(f("x"), {"x": x})


def said(world: World, f: Function, x: int) -> str:
    return f"{plain(f(str(x)))} = {show(at(world, f, x))}"


# ---- a wrong rule


def redraw_picture(target: Numbers, draft: Numbers) -> Picture:
    """What is rejected drawn from p again: too little where p lacks mass, and too much elsewhere.

    >>> from exact.reading import read_laws
    >>> half = read_laws(["1/2", "1/2"], ["3/4", "1/4"])
    >>> redraw_picture(*half).title
    'Redrawing from p in the place of the residual: off by TV = 1/8'
    """
    world, law = world_of(target, draft), emission(REDRAW_FROM_P, target, draft).dist
    TV_shown = f"TV = {show(total_variation(law, target))}"
    key = {
        "overlap": f"overlap m: drafted and accepted, {show(world.value(alpha))} in all",
        "redrawn": f"rejected and redrawn from p, Z = {show(world.value(Z))}",
        "p": f"target p: {TV_shown} above it, and as much missing",
    }
    bars = [redraw_bar(world, law, x) for x in range(world.V)]
    return picture("redraw-from-p", f"Redrawing from p in the place of the residual: off by {TV_shown}", key, bars)


def redraw_bar(world: World, law: Numbers, x: int) -> Bar:
    accepted, wanted = at(world, m, x), at(world, p, x)
    parts = (
        Part("overlap", accepted, said(world, m, x)),
        Part("redrawn", law[x] - accepted, f"redrawn {show(law[x] - accepted)}"),
    )
    return Bar(parts, {"p": wanted}, off(law[x], wanted), (f"emitted {show(law[x])}", said(world, p, x)))


def off(emitted: Number, wanted: Number) -> str:
    if emitted == wanted:
        return "right"
    return f"{show(emitted - wanted)} too high" if emitted > wanted else f"{show(wanted - emitted)} too low"


# ---- how it is drawn


def picture(name: str, title: str, key: dict[str, str], bars: Sequence[Bar]) -> Picture:
    """The key, the bars on one line, and the words of each below it; described by the numbers that it shows."""
    height = scale(bars)
    top = MARGIN + LINE * (len(key) + 1 + any(bar.above for bar in bars))
    foot = top + max(height(size) for bar in bars for size in sizes(bar))
    width, whole = 2 * MARGIN + TOKEN * max(3, len(bars)), foot + LINE * (1 + len(bars[0].below)) + MARGIN
    counted = [words[0].upper() + words[1:] for words in key.values() if any(map(str.isdigit, words))]
    description = ". ".join([*map(sentence, range(len(bars)), bars), *counted]) + "."
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{whole}" viewBox="0 0 {width} {whole}" '
        f'role="img" aria-labelledby="{name}-title {name}-desc">',
        f'<title id="{name}-title">{escape(title)}</title>',
        f'<desc id="{name}-desc">{escape(description)}</desc>',
        *style(name, [kind for kind in key if kind in COLOURS]),
        f'<rect class="paper" width="{width}" height="{whole}" rx="6"/>',
        *(line for i, entry in enumerate(key.items()) for line in key_entry(MARGIN + LINE * i, *entry)),
        f'<g id="{name}-bars">',
        *(line for x, bar in enumerate(bars) for line in drawn(bar, x, foot, height)),
        "</g>",
        f'<path class="p" d="M{MARGIN} {foot}H{width - MARGIN}"/>',
        "</svg>",
    ]
    return Picture(name, title, description, "\n".join(lines) + "\n")


def sizes(bar: Bar) -> list[Number]:
    return [sum(part.mass for part in bar.parts), *bar.outlines.values()]


def scale(bars: Sequence[Bar]) -> Callable[[Number], int]:
    """From a probability to a whole number of pixels, proportionally and without rounding."""
    tops = [size for bar in bars for size in sizes(bar)]
    one = lcm(*(mass.denominator for mass in (*tops, *(part.mass for bar in bars for part in bar.parts))))
    unit = max(1, TALLEST // int(one * max(tops)))
    return lambda mass: unit * int(one * mass)


def sentence(x: int, bar: Bar) -> str:
    said = [*bar.below, *(part.label for part in bar.parts if part.mass), bar.above]
    return f"Token {x}: {', '.join(filter(None, said))}"


def key_entry(y: int, kind: str, words: str) -> list[str]:
    return [rect(kind, MARGIN + 4, y, 28, 18), text(MARGIN + 44, y + 15, words)]


def drawn(bar: Bar, x: int, foot: int, height: Callable[[Number], int]) -> list[str]:
    """The parts with their labels beside them, the outlines over them, the words above and below."""
    left, level, lines = MARGIN + TOKEN * x + BESIDE, foot, []
    for part in bar.parts:
        if part.mass:
            level -= height(part.mass)
            lines.append(rect(part.kind, left, level, BAR, height(part.mass)))
            lines.append(text(left + BAR + BESIDE, level + height(part.mass) // 2 + 6, part.label))
    lines += [outline(kind, left, foot, height(size)) for kind, size in bar.outlines.items() if size]
    above = foot - max(map(height, sizes(bar))) - 10
    lines += [text(left, above, bar.above, "strong")] if bar.above else []
    return lines + [text(left, foot + LINE * i, words) for i, words in enumerate((f"token {x}", *bar.below), 1)]


def outline(kind: str, left: int, foot: int, height: int) -> str:
    """p is drawn a little wider than the bar, so that both outlines are seen where they are equally high."""
    wider = 5 if kind == "p" else 0
    return rect(kind, left - wider, foot - height, BAR + 2 * wider, height)


def rect(kind: str, x: int, y: int, width: int, height: int) -> str:
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}"/>'


def text(x: int, y: int, words: str, kind: str = "word") -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{escape(words)}</text>'


def style(name: str, kinds: Sequence[str]) -> list[str]:
    """Colours for light and dark, and a hatch for each kind that has one: no picture is read by its colours alone."""
    hatched = [kind for kind in kinds if kind in HATCHES]
    return [
        "<style>",
        "text{font:16px sans-serif}.strong{font-weight:bold}.p,.q{fill:none;stroke-width:3}.q{stroke-dasharray:8 5}",
        *(f".{kind}{{fill:url(#{name}-{kind})}}" for kind in hatched),
        colours(0, kinds),
        f"@media(prefers-color-scheme:dark){{{colours(1, kinds)}}}",
        "</style>",
        *(
            f'<pattern id="{name}-{kind}" width="10" height="10" patternUnits="userSpaceOnUse">'
            f'<path class="{kind}-hatch" d="{HATCHES[kind]}"/></pattern>'
            for kind in hatched
        ),
    ]


def colours(mode: int, kinds: Sequence[str]) -> str:
    paper, ink = COLOURS["paper"][mode], COLOURS["ink"][mode]
    rules = [f".paper{{fill:{paper}}}text{{fill:{ink}}}.p,.q{{stroke:{ink}}}"]
    for kind in kinds:
        colour = COLOURS[kind][mode]
        hatched = f".{kind},.{kind}-hatch{{stroke:{colour};stroke-width:2}}"
        rules.append(hatched if kind in HATCHES else f".{kind}{{fill:{colour}}}")
    return "".join(rules)
