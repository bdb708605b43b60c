"""What is written for a learner: the starter file of an exercise, and its reference as a file of the same form.

The statements are in `starters/`, one text for each exercise; what is a formula, a number or code in them comes from
the derivation and stands there as <<mark>>.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from inspect import getsource
from pathlib import Path
from textwrap import wrap

from exact.reading import Number
from proof.drills.bugs import VERIFIERS, smallest_pair
from proof.drills.code import function, lines
from proof.drills.exercises import BUGS, FUNCTION, PROOF, SAMPLER, Exercise, broken_starter, wanted
from proof.drills.pairs import Case
from proof.drills.reasons import PROVED, listed
from proof.lessons.lesson import line_text, why_text
from proof.notation import plain, python
from proof.rejection import D, a, alpha, rho, step, world_of
from proof.statement import Node

STARTERS = Path(__file__).with_name("starters")
DRAWS = """\
    x = rng.choice(V, p=q)
    if rng.random() < a[x]:
        return x, True
    return rng.choice(V, p=rho), False"""


def starter(exercise: Exercise) -> str:
    """The file that a learner begins with."""
    text = (STARTERS / f"{exercise.number}.txt").read_text(encoding="utf-8")
    for mark, make in MARKS.items():
        if f"<<{mark}>>" in text:
            text = text.replace(f"<<{mark}>>", make(exercise))
    return text


def solution(exercise: Exercise) -> str:
    """A file that passes, with the lines of the derivation that say why."""
    why = "\n".join(f"# {line}" for label in exercise.told for line in why_lines(label))
    return "\n\n\n".join(filter(None, (why, code(exercise)))) + "\n"


def code(exercise: Exercise) -> str:
    if exercise.kind == FUNCTION:
        source = function(exercise.name, exercise.returns)
        return "from fractions import Fraction\n\n\n" * ("Fraction(" in source) + source
    if exercise.kind == SAMPLER:
        return "\n".join(["def emit(p, q, rng):", *(f"    {line}" for line in lines([a("x"), rho("x")])), DRAWS])
    return f"{exercise.name} = {{\n{entries(SOLVED[exercise.kind]())}\n}}"


def why_lines(label: str) -> list[str]:
    return [line_text(label), *wrap(why_text(label), 84, initial_indent="    ", subsequent_indent="    ")]


# ---- what stands in the place of a mark


def how(exercise: Exercise) -> str:
    return (
        f"#\n# Run it:    python {exercise.file}\n# Grade it:  samelaw drill test {exercise.number} {exercise.file}\n"
    )


def asserts(exercise: Exercise) -> str:
    """What the derivation says on the visible pairs, as asserts."""
    call = f"{exercise.name}(np.array(p), np.array(q))"
    got = {
        "vector": f"got = [float(x) for x in {call}]",
        "number": f"got = float({call})",
        "pair": f"dist, alpha = {call}\n"
        "        got = [float(x) for x in dist], float(alpha) if wanted[1] is not None else None",
    }[exercise.form]
    cases = "\n".join(f"        ({', '.join(map(str, visible(exercise, case)))})," for case in exercise.visible_cases)
    return (
        f'if __name__ == "__main__":\n    for p, q, wanted in [\n{cases}\n    ]:\n        {got}\n'
        f'        assert got == wanted, f"p = {{p}}, q = {{q}}: wanted {{wanted}}, got {{got}}"\n'
        '    print("the visible tests pass")'
    )


def visible(exercise: Exercise, case: Case) -> Iterator[object]:
    """p, q and what is wanted, in floats; alpha is not asked for where p is no law."""
    yield from (floats(case.p), floats(case.q))
    vector, number = wanted(exercise, world_of(case.p, case.q))
    scalar = float(number) if number is not None and case.law else None
    yield {"vector": floats(vector), "number": scalar, "pair": (floats(vector), scalar)}[exercise.form]


def floats(vector: Sequence[Number]) -> list[float]:
    return [float(x) for x in vector]


def unknown(exercise: Exercise) -> str:
    return entries(dict.fromkeys(SOLVED[exercise.kind]()))


def entries(values: dict[str, object]) -> str:
    return "\n".join(f'    "{name}": {quoted(value)},' for name, value in values.items())


def quoted(value: object) -> str:
    return str(value).replace("'", '"')


def smallest_pairs() -> dict[str, object]:
    return {name: tuple([*map(str, law)] for law in smallest_pair(name)) for name in VERIFIERS}


def reasons() -> dict[str, object]:
    """As the derivation has them."""
    return {
        s.label: {c: coefficient(k) for c, k in zip(s.cites, s.coefficients, strict=True)} for s in map(step, PROVED)
    }


def coefficient(tree: Node) -> object:
    text = plain(tree)
    return int(text) if text.lstrip("-").isdecimal() else text if "(" in text else python(tree)


def earlier(_exercise: Exercise) -> str:
    """The lines that may be cited, and those to be proved, in the order of the derivation."""
    return "\n".join(f"#   {line}" for line in listed())


def acceptance(_exercise: Exercise) -> str:
    return plain(step("acceptance").statement)


def distance(_exercise: Exercise) -> str:
    return plain(step("total-variation").statement)


def mendable(exercise: Exercise) -> str:
    return function(exercise.name, [D("x"), alpha], broken_starter())


def verifiers(_exercise: Exercise) -> str:
    return "\n\n\n".join(getsource(program).rstrip() for program in VERIFIERS.values())


SOLVED: dict[str, Callable[[], dict[str, object]]] = {BUGS: smallest_pairs, PROOF: reasons}
MARKS: dict[str, Callable[[Exercise], str]] = {
    "how": how, "tests": asserts, "unknown": unknown, "lines": earlier, "acceptance": acceptance,
    "total-variation": distance, "code": mendable, "verifiers": verifiers,
}  # fmt: skip
