"""What a run found out: the facts of the kernel, the attack on it, the fixed-V proof, and values by enumeration.

`gather` does all of it afresh; nothing is stored, so that no mark in the paper is older than the run that wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import product
from pathlib import Path

from exact.reading import Numbers, vector
from exact.rejection import rejection_law
from exact.search import Pair, all_pairs
from proof.evaluate import World
from proof.floating import CLAIMS, SHARED, law_as_given
from proof.floating import STEPS as STEPS_AS_GIVEN
from proof.forge import Forgery, attempt, forgeries
from proof.kernel import Fact, check
from proof.mutate import Mutant, as_given, attack, failing
from proof.progress import Progress, silent
from proof.rejection import LAWS, STEPS, THEOREM, derived_law, world_of
from proof.statement import Step
from proof.symbolic import Failure, FixedV, prove


TOKENS, DENOMINATOR = 3, 4  # every statement is evaluated on all pairs up to these
ENTRIES = (Fraction(0), Fraction(1, 3), Fraction(1))  # and those that need no laws on all vectors of such entries
FULL, UP_TO_ORDER = (2, 3, 4, 5), 6  # numbers of tokens of the fixed-V proof
TRUSTED = ("statement", "wellformed", "normal", "evaluate", "regions", "kernel")  # what an accepted step rests on


@dataclass(frozen=True)
class Evidence:
    """Everything that `samelaw prove` found, in the order in which the paper tells it."""

    facts: dict[str, Fact]
    evaluated: int  # pairs of laws on which every statement was evaluated
    given: int  # pairs of vectors on which every statement was evaluated that does not ask for laws
    mutants: Sequence[Mutant]
    forged: Sequence[tuple[Forgery, str]]
    fixed: Sequence[FixedV | Failure]
    problems: Sequence[str]  # why the theorem does not stand, empty where it does

    def mutants_of(self, label: str) -> list[Mutant]:
        return [mutant for mutant in self.mutants if mutant.label == label]

    @property
    def refuted(self) -> list[Mutant]:
        """Mutants that an exact counterexample shows to be wrong; each must have been rejected."""
        return [mutant for mutant in self.mutants if mutant.failing]

    @property
    def unrefuted(self) -> list[Mutant]:
        """Rejected, but true wherever they were evaluated: true statements that the citations do not give."""
        return [mutant for mutant in self.mutants if mutant.rejected_at and not mutant.failing]

    @property
    def survivors(self) -> list[Mutant]:
        """Accepted, and true wherever they were evaluated."""
        return [mutant for mutant in self.mutants if not mutant.rejected_at and not mutant.failing]


def gather(progress: Progress = silent, steps: Sequence[Step] = STEPS) -> Evidence:
    """Derive, evaluate, attack and prove at fixed V; Rejected where the kernel does not accept the derivation."""
    progress("kernel", 0, len(steps))
    facts = check(steps) | check(STEPS_AS_GIVEN)
    laws, vectors = [*all_pairs(TOKENS, DENOMINATOR)], [*vector_pairs(TOKENS)]
    false = evaluate_everywhere(steps, laws, derived_law, progress)
    false += evaluate_everywhere(STEPS_AS_GIVEN, laws + vectors, law_as_given, progress)
    mutants = attack(steps, progress=lambda done, total: progress("mutants", done, total))
    mutants += attack(
        STEPS_AS_GIVEN,
        progress=lambda done, total: progress("mutants", done, total),
        points=as_given,
        shared=SHARED,
    )
    forged = [(forgery, attempt(forgery)) for forgery in forgeries()]
    fixed = []
    for V in FULL:
        progress("fixed V", V, UP_TO_ORDER)
        fixed.append(prove(V))
    fixed.append(prove(UP_TO_ORDER, up_to_order=True))
    problems = [*undischarged(facts), *false, *holes(mutants, forged), *map(str, failures(fixed))]
    return Evidence(facts, len(laws), len(vectors), mutants, forged, fixed, problems)


def undischarged(facts: dict[str, Fact]) -> list[str]:
    """Each claim must stand under its own hypotheses, the theorem under those that p and q are laws, and no other."""
    claims = dict.fromkeys(THEOREM, LAWS) | CLAIMS
    missing = [label for label in claims if label not in facts]
    loose = [label for label in claims if label in facts and not facts[label].hypotheses <= set(claims[label])]
    return [f"{label} is not derived" for label in missing] + [f"{label} needs more than it may" for label in loose]


def vector_pairs(tokens: int) -> Iterator[Pair]:
    """Every pair of vectors with entries in ENTRIES, not all 0, and at most so many tokens."""
    for V in range(1, tokens + 1):
        rows = [Numbers(row) for row in product(ENTRIES, repeat=V) if any(row)]
        yield from (Pair(p, q) for p, q in product(rows, repeat=2))


def evaluate_everywhere(
    steps: Sequence[Step],
    pairs: Sequence[Pair],
    derived: Callable[[World], object],
    progress: Progress = silent,
) -> list[str]:
    """What fails on one of the pairs: a line, or the program, whose law is to be the derived one."""
    false = []
    for done, (p, q) in enumerate(pairs, 1):
        progress("values", done, len(pairs))
        world = world_of(p, q, steps)
        where = f"p={vector(p)}, q={vector(q)}"
        false += [f"{step.label} fails at {where}" for step in failing(world, steps)]
        dist, alpha = rejection_law(p, q)
        if (tuple(dist), alpha) != derived(world):
            false.append(f"the program and the derivation differ at {where}")
    return false


def holes(mutants: Sequence[Mutant], forged: Sequence[tuple[Forgery, str]]) -> list[str]:
    """What the kernel accepted and should not have."""
    unsound = [f"the kernel accepts a false {mutant.label} ({mutant.operator})" for mutant in mutants if mutant.unsound]
    return unsound + [f"the kernel accepts a forgery: {forgery.name}" for forgery, at in forged if at != forgery.label]


def failures(fixed: Sequence[FixedV | Failure]) -> list[Failure]:
    return [result for result in fixed if isinstance(result, Failure)]


def digest_of_checker() -> str:
    """The first 16 hex digits of the sha256 of the source that an accepted step rests on."""
    here = Path(__file__).parent
    return digest("".join((here / f"{name}.py").read_text(encoding="utf-8") for name in TRUSTED))


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
