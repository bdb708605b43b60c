"""Python of the derivation: a function whose lines are definitions of the tree, in the order in which they are needed.

So no formula of a reference is typed a second time.  The two arbitrary functions are chosen: u is 1, and f is p.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from proof.evaluate import Definitions
from proof.notation import python
from proof.rejection import definitions, f, letter_of, p, u
from proof.statement import At, Name, Node, Where, eq, free_tokens, put, walk
from proof.statement import ONE

CHOSEN = (eq(u("x"), ONE), eq(f("x"), p("x")))


def function(name: str, outputs: Sequence[Node], known: Definitions | None = None) -> str:
    r"""The source of a function of p and q that returns the outputs, a letter or an expression each.

    >>> from proof.rejection import Z
    >>> print(function("residual_mass", [Z]))
    def residual_mass(p, q):
        V = len(p)
        r = [max(p[x] - q[x], 0) for x in range(V)]
        Z = sum(r[x] for x in range(V))
        return Z
    """
    body = [*lines(outputs, known), f"return {', '.join(map(returned, outputs))}"]
    return "\n".join([f"def {name}(p, q):", *(f"    {line}" for line in body)])


def lines(outputs: Sequence[Node], known: Definitions | None = None) -> Iterator[str]:
    """What comes before the return: V, then every letter that is needed."""
    known = definitions() if known is None else known
    yield "V = len(p)"
    for name in needed(outputs, known):
        token, body = known[name]
        expression = python(chosen(body))
        yield f"{name} = {expression if token is None else f'[{expression} for {token} in range(V)]'}"


def needed(outputs: Sequence[Node], known: Definitions) -> list[str]:
    """The letters that the outputs speak of, each after those of its own definition."""
    found: list[str] = []
    for tree in outputs:
        for name in filter(known.__contains__, map(letter_of, walk(tree))):
            found += [x for x in (*needed([chosen(known[name][1])], known), name) if x not in found]
    return found


def chosen(tree: Node) -> Node:
    for equation in CHOSEN:
        tree = put(tree, equation)
    return tree


def returned(tree: Node) -> str:
    """A letter by its name; an expression with a free token as a list."""
    if isinstance(tree, At | Name):
        return letter_of(tree)
    return f"[{python(tree)} for x in range(V)]" if free_tokens(tree) else python(tree)


def without_case(known: Mapping[str, tuple[str | None, Node]], name: str) -> Definitions:
    """The same definitions, with the one of that name as if its condition always held."""
    token, body = known[name]
    assert isinstance(body, Where)  # only such a definition has a case to leave out
    return {**known, name: (token, body.then)}
