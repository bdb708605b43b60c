"""The eight exercises: what each asks for, by which lines of the derivation it is graded, and what helps.

A hint says where to look and never what to write: `tests/test_drill.py` searches them for the answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from exact.reading import LawError, Number, read_numbers
from exact.rules import SELF_CHECK_RULE
from proof.evaluate import Definitions, World
from proof.rejection import D, alpha, definitions, r, step
from proof.statement import At, Iff, Name, Node
from proof.drills.code import without_case
from proof.drills.pairs import Case

FUNCTION, SAMPLER, BUGS, PROOF = "function", "sampler", "bugs", "proof"  # the kinds, one grader each
VISIBLE_LAWS = ((("1/2", "1/4", "1/4"), ("1/4", "1/4", "1/2")), (("3/4", "1/4"), ("1/2", "1/2")))
EQUAL = (("1/2", "1/2"), ("1/2", "1/2"))
NEVER_DRAFTED = (("1/2", "1/2"), ("0", "1"))
NOTHING_IN_COMMON = (("1/2", "1/2", "0", "0"), ("0", "0", "1/2", "1/2"))
VISIBLE_UNLIKE = (("1/4", "1/2"), ("1", "0"))  # p does not sum to 1


@dataclass(frozen=True)
class Exercise:
    """number, name (of the function or dict to fill in), what it is about; kind: which grader.

    For functions of p and q.  vector, scalar: the letters that its parts are in the derivation, "" for none; lines:
    what has to hold of them, in the order in which it is told; returns: the same in the tree, for the reference; why:
    the lines that are told once it is right, where that is not `lines`; wrong: a rule that the grader has to reject;
    visible: the pairs of the visible tests; secret: would a line say the answer?  equal: are pairs with q = p among
    the hidden ones?  unlike: and some where p does not sum to 1?  hints: by what fails, "" for a general one.
    """

    number: int
    name: str
    about: str
    kind: str = FUNCTION
    vector: str = ""
    scalar: str = ""
    lines: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    returns: tuple[Node, ...] = ()
    wrong: str = SELF_CHECK_RULE
    visible: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = VISIBLE_LAWS
    secret: bool = False
    equal: bool = True
    unlike: bool = False
    hints: Mapping[str, str] = field(default_factory=dict)

    def hint(self, kind: str, token: int = 0) -> list[str]:
        """From the general to what helps with this kind of fault."""
        particular = self.hints.get(kind, COMMON.get(kind, ""))
        general = [] if kind in COMMON else [self.hints[""]]
        return [*general, *([particular.format(x=token)] if particular and kind else [])]

    @property
    def told(self) -> tuple[str, ...]:
        return self.why or self.lines

    @property
    def file(self) -> str:
        return f"{self.number}_{self.name.lower()}.py"

    @property
    def form(self) -> str:
        """As `child.py` calls it."""
        return "pair" if self.vector and self.scalar else "vector" if self.vector else "number"

    @cached_property
    def visible_cases(self) -> tuple[Case, ...]:
        pairs = (read_numbers(list(p), list(q)) for p, q in self.visible)
        return tuple(Case(p, q, law=sum(p) == 1) for p, q in pairs)


COMMON = {  # of every exercise, by the kind of fault
    "runs": "Run the file by itself first: it says in which line it stops.",
    "form": "Read in the file what is to be returned: how many numbers, and in which form.",
    "endless": "It does not come back. Is there a loop that never ends, or a call that ends the program?",
    "unfinished": "The function is still the one of the starter file: fill it in, and run the file.",
    "not-finite": "Which number is divided by 0? Such a number is not there to be used in that case.",
    "input": "p and q belong to the caller: make a new array or list, and leave them as they are.",
    "chance": "A probability is a number that can be computed from p and q. Draw nothing.",
    "counted": "A probability is a number that can be computed from p and q. Draw and count nothing.",
    "seed": "It draws from a generator of its own: use the rng that it gets, and make no other.",
    "same": "Compute the answer from p and q, whatever they are.",
    "visible": "Compute the answer from p and q, also where they are not those of the tests.",
}


def sides(label: str) -> tuple[Node, Node]:
    statement = step(label).statement
    assert not isinstance(statement, Iff)
    return statement.a, statement.b


def wanted(exercise: Exercise, world: World) -> tuple[Sequence[Number], Number | None]:
    """What the derivation gives for the letters of the exercise."""
    vector = [world.value(At(exercise.vector, "x"), {"x": x}) for x in range(world.V)] if exercise.vector else []
    return vector, world.value(Name(exercise.scalar)) if exercise.scalar else None


EXERCISES = (
    Exercise(
        1, "accepted_mass", "how often is a token drafted and accepted?", vector="m", lines=("accepted-mass",),
        returns=(sides("accepted-mass")[0],), wrong="accept-all", secret=True, visible=(*VISIBLE_LAWS, NEVER_DRAFTED),
        why=("accepted-mass", "overlap"),
        hints={
            "": "Take one token. How often is it drafted, and how often does the coin then say yes?",
            "zero": "Token {x} is never drafted: q is 0 there. How often can it come out as an accepted draft?",
            "below": "At token {x} q is not larger than p. Can the coin say no there?",
            "above": "At token {x} q is larger than p, so that the coin sometimes says no. How often is it drafted, "
            "and how often of these times does it get through?",
        },
    ),
    Exercise(
        2, "residual", "what do the accepted drafts leave undone?", vector="r",
        lines=("residual-sign", "residual-mass", "split-p"), returns=(r("x"),),
        why=("split-p", "residual-mass", "rejection-mass"),
        hints={
            "": "Take one token. What comes out of it by acceptance (exercise 1), and what does p ask for?",
            "not-finite": "Is something divided? Read again what is asked for.",
            "residual-sign": "A token cannot be added a negative number of times. What is to be done where it comes "
            "out often enough already?",
            "residual-mass": "Add up your numbers, and add up the accepted masses of exercise 1. What should the two "
            "come to together, if every token is to come out as often as p says? Do you have too much, or too little?",
            "split-p": "At token {x}: add what is accepted of it and what you return. Is it what p asks for?",
        },
    ),
    Exercise(
        3, "emitted_distribution", "what comes out of the whole program?", vector="D", scalar="alpha",
        lines=("acceptance-rate", "emitted-law"), returns=(D("x"), alpha), visible=(*VISIBLE_LAWS, VISIBLE_UNLIKE),
        equal=False, unlike=True,
        why=("two-branches", "rejection-mass", "redrawn-mass", "emitted-law"),
        hints={
            "": "Two ways lead to a token: it is drafted and accepted, or some draft is rejected and it is drawn "
            "then. How much comes by each?",
            "acceptance-rate": "alpha is about any token at all being accepted. What does exercise 1 say of each?",
            "emitted-law": "Look at the second way. How often is a draft rejected? And what is drawn from then: do "
            "its entries sum to 1, and are they large where the first way leaves too little?",
            "two-branches": "Here p does not sum to 1, and nothing is to be repaired: how often a draft is rejected "
            "is a matter of the drafts and of the coin.",
            "itself": "Whether you wrote p or something that comes to p: that p comes out is the theorem, and not yet "
            "the program. Follow it: how much of each token is accepted; how often is a draft rejected, which is a "
            "matter of the drafts and of the coin; what is drawn then, and does it sum to 1?",
        },
    ),
    Exercise(
        4, "acceptance_rate", "how is acceptance tied to the distance between p and q?", scalar="alpha",
        lines=("alpha-is-1", "alpha"), returns=(sides("alpha")[1],), wrong="alpha-is-tv",
        secret=True, visible=(*VISIBLE_LAWS, EQUAL, NOTHING_IN_COMMON),
        why=("alpha-overlap", "residual-mass", "excess-mass", "absolute-difference", "tv-is-residual", "alpha"),
        hints={
            "": "Take the pairs of the visible tests. Write the total variation and the wanted alpha of each side by "
            "side.",
            "same": "The same number came out for every pair. The differences of any two laws add up to 0; what does "
            "the total variation do to each of them before it adds them up?",
            "alpha-is-1": "When is no draft ever rejected? And how large is the total variation then?",
            "alpha": "If the two laws are further apart, is a draft accepted more often, or less? By how much? And "
            "where no token is possible in both?",
        },
    ),
    Exercise(
        5, "emitted_distribution", "what if there is nothing left to redraw?", vector="D", scalar="alpha",
        lines=("acceptance-rate", "emitted-law"), returns=(D("x"), alpha),
        visible=(*VISIBLE_LAWS, VISIBLE_UNLIKE, EQUAL), unlike=True,
        why=("zero-residual",),
        hints={
            "": "Which number is it divided by, and for which pairs is that 0?",
            "not-finite": "How often does the program come to the line that divides, where the divisor is 0? Does it "
            "matter what would be drawn there?",
            "emitted-law": "Only the case without a residual is to be mended; where there is one, the code was "
            "right. Is something added to a number in order not to divide by 0? Then it is another program.",
            "acceptance-rate": "How often is a draft accepted where q is p?",
            "itself": "Where there is a residual the program was right; what it emits is p only if p sums to 1.",
        },
    ),
    Exercise(
        6, "emit", "write the sampler", SAMPLER, lines=("accepted-mass", "redrawn-mass"),
        why=("accepted-mass", "redrawn-mass", "never-again"),
        hints={
            "": "Three lines of the program draw: the token, the coin, and, after a rejection, the other token. Say "
            "of each from which law.",
            "law": "Exercise 3 is this program, on paper. Which of its two ways comes out wrong?",
            "runs": "Look at the pair above: which of your numbers is divided by, or drawn from, and is 0 there? And "
            "should the program have come to that line at all?",
            "flag": "The second part of what is returned says whether the token is the accepted draft.",
        },
    ),
    Exercise(
        7, "PAIRS", "find the bug: the smallest pair that shows it", BUGS,
        hints={
            "": "First say in words what the program does in the place of the right one. For which p and q would one "
            "see it?",
            "shows": "On that pair the law that comes out is p. Follow one token through the program on paper.",
            "unreadable": 'Write a pair as two lists of one length, each with the sum 1, and fractions as text: '
            '(["1/5", "4/5"], ["2/5", "3/5"]).',
            "smaller": "Try fewer tokens first, and then a smaller common denominator: entries such as 0, 1/2 and 1.",
        },
    ),
    Exercise(
        8, "REASONS", "prove it: give the reasons of two lines", PROOF, lines=("redrawn-if-mass", "emitted-law"),
        why=("redrawn-if-mass", "redrawn-mass", "emitted-law"),
        hints={
            "": "Write down left side minus right side of the line to be proved. Which earlier lines speak of its "
            "letters?",
            "unreadable": "A reason is a dict: from the names of lines in the list to coefficients, each a number or a "
            'text such as "2 * m(x)".',
            "adds": "Bring every line that you cite to the form left - right, times its coefficient, and add up: "
            "letters that the statement does not have must cancel.",
            "missing": "Only the lines listed in the file can be cited; a proof does not rest on what comes after it.",
            "hypothesis": "A line that holds only in one of the two cases cannot prove what is to hold in both.",
        },
    ),
)  # fmt: skip


def exercise(number: object) -> Exercise:
    """The exercise of that number; LawError where there is none.

    >>> exercise(1).name
    'accepted_mass'
    """
    found = next((x for x in EXERCISES if str(x.number) == str(number)), None)
    if found is None:
        raise LawError(f"exercise={number}: it is a number from 1 to {len(EXERCISES)}; `samelaw drill` lists them")
    return found


def broken_starter() -> Definitions:
    """What exercise 5 starts from: the replacement without its case."""
    return without_case(definitions(), "rho")
