"""What comes before the first line, the question before coding, and what to take away after the last."""

from __future__ import annotations

from exact import total_variation
from exact.reading import Number, Numbers, show, vector
from exact.rules import RULES, emission
from exact.text import aligned, wrapped
from proof.evaluate import World
from proof.lessons.bars import bars
from proof.notation import plain
from proof.rejection import STEPS, D, Z, alpha, beta, definitions, m, r, rho, world_of
from proof.rejection import p as target
from proof.statement import Node, Where


def coin() -> Node:
    """How often the coin says yes to a token that is drafted at all."""
    acceptance = definitions()["a"][1]
    assert isinstance(acceptance, Where)
    return acceptance.then


SETTING = f"""\
A large language model writes a text token by token, a token being a word or a piece of one: at each place it has a
law p over its V tokens (a probability for each of them), and draws one. That is slow. A small, fast model has a law q
of its own, which is similar. Speculative decoding lets the small one draw a token, the draft, and asks the large one
only whether to keep it, which it can say of several drafts in the time of one. p is called the target law, q the draft
law.

The program at one place: draw x from q. Flip a coin that says yes with probability {plain(coin())}; if it says yes,
x is accepted and comes out. If it says no, another token is drawn, from what is left over of p where q has too
little, and that one comes out."""

QUESTION = """\
Before any code, a question. Would it do to accept every draft? What must the program preserve?

Look at your pair, and give your answer before you go on."""

NOTATION = """\
How to read a line. x is any token, 0 to V-1; a line with x in it is meant for every token. sum_x adds up over all
tokens. (p(x) - q(x))^+ is the difference where it is positive, and 0 where it is not. delta(y, x) is 1 if y is x, and
0 if it is not. Mass is probability, added up over tokens; normalised is divided by its sum, so that it sums to 1;
lossless: what comes out has the law p. Uses: the earlier lines from which a line follows, added up, each times what
stands before it. With: what its letters stand for."""

WHY_RESIDUAL = """\
The accepted drafts already give every token the overlap. What it still lacks of p is its residual, and a rejection
happens exactly as often as the residual has mass in all: so what is redrawn must have the law of the residual.
Redrawn from p, every token of p gets a share, whether it lacks much, little or nothing; and what one token gets too
much is missing at others."""


def opening(p: Numbers, q: Numbers) -> list[list[str]]:
    """Three pages: what it is about, with the pair; the question before coding; the answer, and how to read on."""
    ahead = f"""The {len(STEPS)} lines that follow prove that the program does just that, for these and for any p and
        q, each with your numbers in it where it is about your pair."""
    return [
        [*paragraphs(SETTING), "", "Your pair, one bar for each token:", "", *bars(world_of(p, q))],
        paragraphs(QUESTION),
        [*paragraphs(f"{answer(p, q)}\n\n{ahead}\n\n{NOTATION}")],
    ]


def answer(p: Numbers, q: Numbers) -> str:
    """Would it do to accept every draft?"""
    dist = emission(RULES["accept-all"], p, q).dist
    off = total_variation(dist, p)
    if not off:
        return """On your pair it would do to accept every draft: q is p, so that every draft has the right law already.
            With any other q what comes out has the law q, and not p. What must be preserved is the law of the token
            that comes out: it has to be p, as if the large model had drawn it itself."""
    return f"""It would not do to accept every draft: what comes out then has the law q. On your pair that is
        {vector(dist)} instead of {vector(p)}: off by {show(off)}, the total variation between p and q (half the sum of
        what they differ by, token by token). What must be preserved is the law of the token that comes out: it has to
        be p, as if the large model had drawn it itself. So where q has too much, some drafts must be turned down, and
        where it has too little the same mass must be put back."""


def closing(p: Numbers, q: Numbers) -> list[str]:
    """Why the residual is redrawn and not p, and why alpha is 1 - TV, on the pair."""
    world, wrong = world_of(p, q), emission(RULES["redraw-from-p"], p, q).dist
    return [
        "Why the residual, and not p?", "",
        *paragraphs(WHY_RESIDUAL), "",
        *aligned([["token", "p", "accepted", "lacking", "+ redrawn from the residual", "+ redrawn from p"],
                  *([str(x), *by_token(world, x, wrong[x])] for x in range(len(p)))]), "",
        *([] if world.value(Z) else ["With q = p nothing is ever redrawn, and any law would do.", ""]),
        *paragraphs(f"""And alpha, how often the draft is accepted, is the overlap in all: {show(world.value(alpha))}.
            What it leaves to 1, {show(world.value(Z))}, is the mass of the residual, and this is the total
            variation."""), "",
        *wrapped("Next: samelaw step --draw, samelaw step --break redraw-from-p, samelaw drill"),
    ]  # fmt: skip


def by_token(world: World, x: int, wrong: Number) -> list[str]:
    """p, accepted, lacking, and what comes out with either redraw, added up."""
    at = {"x": x}
    wanted, accepted, lacking, right = (world.value(f("x"), at) for f in (target, m, r, D))
    sums = [(world.value(rho("x"), at), right), (wanted, wrong)]
    texts = [f"{show(accepted)} + {show(world.value(beta))} * {show(law)} = {show(whole)}" for law, whole in sums]
    return [*map(show, (wanted, accepted, lacking)), *texts]


def paragraphs(text: str) -> list[str]:
    """
    >>> paragraphs("One\\nparagraph.\\n\\nAnd another.")
    ['One paragraph.', '', 'And another.']
    """
    whole = [wrapped(" ".join(part.split())) for part in text.split("\n\n")]
    return [line for i, lines in enumerate(whole) for line in ([""] if i else []) + lines]
