"""What a run found out: the facts of the kernel, the attack on it, the fixed-V proof, and values by enumeration.

`gather` does all of it afresh; nothing is stored, so that no mark in the paper is older than the run that wrote it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from exact.reading import Numbers, vector
from exact.rejection import rejection_law
from exact.search import all_pairs, count_all
from proof.evaluate import World
from proof.forge import Forgery, attempt, forgeries
from proof.kernel import Fact, check
from proof.mutate import Mutant, attack, fails
from proof.progress import Progress, silent
from proof.rejection import LAWS, STEPS, THEOREM, derived_law, world_of
from proof.statement import Step
from proof.symbolic import Failure, FixedV, prove


TOKENS, DENOMINATOR = 3, 4  # every statement is evaluated on all pairs up to these
FULL, UP_TO_ORDER = (2, 3, 4, 5), 6  # numbers of tokens of the fixed-V proof
TRUSTED = ("statement", "wellformed", "normal", "evaluate", "regions", "kernel")  # what an accepted step rests on


@dataclass(frozen=True)
class Evidence:
    """Everything that `samelaw prove` found, in the order in which the paper tells it."""

    facts: dict[str, Fact]
    evaluated: int  # pairs on which every statement was evaluated
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
    facts = check(steps)
    evaluated, false = evaluate_everywhere(steps, progress)
    mutants = attack(steps, progress=lambda done, total: progress("mutants", done, total))
    forged = [(forgery, attempt(forgery)) for forgery in forgeries()]
    fixed = []
    for V in FULL:
        progress("fixed V", V, UP_TO_ORDER)
        fixed.append(prove(V))
    fixed.append(prove(UP_TO_ORDER, up_to_order=True))
    problems = [*undischarged(facts), *false, *holes(mutants, forged), *map(str, failures(fixed))]
    return Evidence(facts, evaluated, mutants, forged, fixed, problems)


def undischarged(facts: dict[str, Fact]) -> list[str]:
    """The theorem must stand under the hypotheses that p and q are laws, and no other."""
    missing = [label for label in THEOREM if label not in facts]
    loose = [label for label in THEOREM if label in facts and not facts[label].hypotheses <= set(LAWS)]
    return [f"{label} is not derived" for label in missing] + [f"{label} needs more than two laws" for label in loose]


def evaluate_everywhere(steps: Sequence[Step], progress: Progress = silent) -> tuple[int, list[str]]:
    """(how many pairs, what fails on one of them): both sides of every line, and the program's law."""
    total, false = count_all(TOKENS, DENOMINATOR), list[str]()
    for done, (p, q) in enumerate(all_pairs(TOKENS, DENOMINATOR), 1):
        progress("values", done, total)
        world = world_of(p, q, steps)
        where = f"p={vector(p)}, q={vector(q)}"
        false += [f"{step.label} fails at {where}" for step in steps if fails(world, step)]
        false += [] if as_derived(world, p, q) else [f"the program and the derivation differ at {where}"]
    return total, false


def as_derived(world: World, p: Numbers, q: Numbers) -> bool:
    """Whether the program emits the law, and accepts with the probability, that the derivation defines."""
    dist, alpha = rejection_law(p, q)
    return (tuple(dist), alpha) == derived_law(world)


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
