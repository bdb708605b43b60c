"""The step of the derivation that a wrong rule breaks, in words and in the numbers of a pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain

from exact.reading import Numbers, show
from proof.statement import At, Node, Relation, Statement, Step, walk

MOST_VALUES = 8  # tokens for which the letters of a step are told in numbers


def broken_step_texts(label: str, p: Sequence[Fraction] = (), q: Sequence[Fraction] = ()) -> Iterator[str]:
    """The step, by its number in paper.md, what its letters mean, and what they are at the pair, where one is given."""
    from proof.floating import NUMBER
    from proof.notation import plain, plain_prose
    from proof.rejection import step

    broken = step(label)
    yield f"breaks: ({NUMBER[label]}) of paper.md, {label}: {plain(broken.statement)}. {plain_prose(broken.prose)}"
    meanings = letters(broken.statement)
    for letter in meanings:
        yield f"  {plain(letter.statement)}: {first_sentence(plain_prose(letter.prose))}"
    if meanings and 0 < len(p) <= MOST_VALUES:
        yield f"  {values_text(meanings, p, q)}"


def letters(statement: Statement) -> list[Step]:
    """The definitions of the letters of a statement, then of the letters in these; p and q are everybody's."""
    from proof.rejection import defining, letter_of

    defined = defining()
    found: list[Step] = []
    for tree in chain([statement], (s.statement for s in found)):  # `found` grows as it is read
        for letter in map(letter_of, walk(tree)):
            if letter in defined and defined[letter] not in found:
                found.append(defined[letter])
    return found


def first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".") + "."


def values_text(meanings: Sequence[Step], p: Sequence[Fraction], q: Sequence[Fraction]) -> str:
    """The letters in numbers, per token where they are laws."""
    from proof.notation import plain

    names = [s.statement.a for s in meanings if isinstance(s.statement, Relation)]
    shown = (f"{plain(name)} = {', '.join(value_texts(name, p, q))}" for name in names)
    return f"At the p and q above the right rule has {'; '.join(shown)}."


def value_texts(name: Node, p: Sequence[Fraction], q: Sequence[Fraction]) -> list[str]:
    """Exact; "any" where it is one of the numbers that the derivation leaves open: other ones there change it."""
    from proof.evaluate import World
    from proof.rejection import world_of

    V = len(p)
    world = world_of(Numbers(p), Numbers(q))
    zeros = World({"p": p, "q": q, "u": [0] * V, "f": [0] * V}, world.definitions)
    tokens: list[dict[str, int]] = [{"x": x} for x in range(V)] if isinstance(name, At) else [{}]
    values = [(world.value(name, at), zeros.value(name, at)) for at in tokens]
    return [show(value) if value == other else "any" for value, other in values]
