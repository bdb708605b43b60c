"""paper.md, written from what a run has found out: the derivation, its checks, and nothing that was not computed.

The text holds functions of the repository's own files alone: no time, version, machine or random draw.  So it is the
same bytes everywhere, and `samelaw prove --check` can compare it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from exact import emitted_distribution, rejection_law, total_variation
from exact.reading import Number, read_laws, read_numbers, show, vector
from exact.rules import RULES, WRONG, Rule, emission, law_of, smallest_wrong
from exact.text import spans
from proof.evaluate import World
from proof.evidence import DENOMINATOR, ENTRIES, TOKENS, Evidence, digest, digest_of_checker, vector_pairs
from proof.floating import CHAPTERS as CHAPTERS_AS_GIVEN
from proof.floating import GIVEN, LINES, NEW, NUMBER, P, S_p, S_q, law_as_given
from proof.floating import MASSES as MASSES_AS_GIVEN
from proof.floating import PER_TOKEN as PER_TOKEN_AS_GIVEN
from proof.floating import STEPS as STEPS_AS_GIVEN
from proof.kernel import RULES as KERNEL_RULES
from proof.paper_floats import floating, table
from proof.notation import plain, tex
from proof.mutate import Mutant
from proof.picture import Picture, overlap_picture, redraw_picture
from proof.rejection import CHAPTERS, EXAMPLE, LAWS, MASSES, PER_TOKEN, Z, alpha, derived_law, e, r, world_of
from proof.statement import ONE, Function, Name, Node, Statement, Step
from proof.symbolic import Failure, FixedV, of_laws, prove

AS_GIVEN = read_numbers(["3/4", "1/4", "1/8"], ["1/2", "3/8", "1/8"])  # sums 9/8 and 1


def paper(evidence: Evidence) -> str:
    """The whole paper in Markdown, \\n at the ends of lines."""
    sections = [
        theorem(),
        promise(),
        question(),
        *(chapter(n, title, steps, evidence) for n, (title, steps) in enumerate(CHAPTERS.items(), 1)),
        example(),
        wrong_rules(),
        *(
            chapter(n, title, steps, evidence)
            for n, (title, steps) in enumerate(CHAPTERS_AS_GIVEN.items(), 1 + len(CHAPTERS))
        ),
        example_as_given(),
        floating(ref),
        how_checked(evidence),
        not_claimed(),
        references(),
    ]
    return "\n\n".join(sections) + "\n"


def pictures() -> list[Picture]:
    """The pictures that the paper shows; their files stand beside it."""
    return [overlap_picture(*EXAMPLE), redraw_picture(*EXAMPLE)]


def display(label: str) -> str:
    return f"$${tex(LINES[NUMBER[label] - 1].statement)}$$"


def ref(label: str) -> str:
    return f"({NUMBER[label]})"


# ---- what is claimed


def theorem() -> str:
    return f"""# Speculative sampling emits the target's law

*This file is written by `samelaw prove`; no line of it is edited by hand. Every statement with a number was accepted
by the checker in the run that wrote it.*

## The theorem

A draft model proposes a token from its law $q$; the target model's law is $p$. The proposal $x$ is accepted with
probability $\\min(1, p(x)/q(x))$; on rejection a token is drawn from the residual $(p-q)^+$, normalised. Then, for every
vocabulary and every two laws $p$ and $q$ on it, the emitted token has exactly the law $p$:

{display("emitted-law")}

and the proposal is accepted with probability

{display("alpha")}

These are lines {ref("emitted-law")} and {ref("alpha")} below. The numbers that a program gets are hardly ever laws to the last digit. Lines
{ref(NEW[0].label)} to {ref(NEW[-1].label)} ask for no sum to be 1: they say exactly what is emitted then, and how far that is from the target over its sum."""


def promise() -> str:
    return """## What is assumed and what is promised

Assumed: $p$ and $q$ are laws on the same finite vocabulary, that is, $p(x) \\ge 0$, $q(x) \\ge 0$ and both sum to 1. The
proposal is really drawn from the $q$ that stands in the ratio; the coin is a uniform number, used once; the redraw is independent
of it. Nothing is assumed about supports: $q$ may be 0 where $p$ is not, and $p$ where $q$ is not.

Promised: the law of the emitted token at one position, as a number for each token. A line with $x$ in it holds for every
token $x$. Two functions are arbitrary: $u$, the acceptance where $q$ is 0, and $f$, what is drawn from where the residual
has no mass. That they do not matter is part of what is proved."""


def question() -> str:
    dist = emission(RULES["accept-all"], *EXAMPLE).dist
    return f"""## The question before coding

*Would it do to accept every draft token? What must the sampler preserve?*

It must preserve the law of the emitted token, not the draft. With $p$ = {vector(EXAMPLE[0])} and
$q$ = {vector(EXAMPLE[1])}, accepting everything emits {vector(dist)}, off from $p$ by a total variation of
{show(total_variation(dist, EXAMPLE[0]))}. Line {ref("accept-all-is-off")} says that it is always off by exactly the
total variation between the two laws, and line {ref("accept-all-lossless")} that it is right only if they are the same.
The sampler has to take mass away where the draft has too much, and put the same mass where the draft has too little.

{overlap_picture(*EXAMPLE).markdown}

The picture shows this pair, with one bar for each token. What sticks out of $q$, the excess, has to be rejected; what sticks out of $p$, the residual, is
what is then missing. The two hatched areas are equal, and so a redraw from the residual fills exactly the gap that the rejection leaves."""


# ---- the derivation


def chapter(n: int, title: str, steps: Sequence[Step], evidence: Evidence) -> str:
    facts = evidence.facts
    proved = [s for s in steps if s.label in facts and facts[s.label].statement == s.statement]
    shared = spans(NUMBER[s.label] for s in STEPS_AS_GIVEN if s not in NEW)
    opening = {"Two laws": HOW_TO_READ, "Sums that are not 1": HOW_TO_GO_ON.format(shared=shared)}
    return "\n\n".join([f"## {n}. {title}", *([opening[title]] if title in opening else []), *map(line, proved)])


HOW_TO_READ = """The next sections derive the theorem line by line. Each line has a number, the reason in words, the statement, and below
it the label, the rule of the checker, the earlier lines it rests on (each times 1 where nothing is said), and what it is true under; a condition with a token
in it is assumed for every token. The rules are listed in
the section on how it was checked."""


HOW_TO_GO_ON = """The theorem asks for two laws. Floats hardly ever sum to exactly 1, and so the next sections derive what the same program
does with two vectors of any positive sums. Of the lines above they use the coin, the splits, and a few others in which no sum is assumed
to be 1: lines {shared}. Nothing is rounded here; what rounding adds comes after that."""


def line(s: Step) -> str:
    return f"**({NUMBER[s.label]})** {s.prose}\n\n$${tex(s.statement)}$$\n\n{reason(s)}"


def reason(s: Step) -> str:
    """`label`, rule, what is cited, and the hypotheses."""
    cited = f", from {', '.join(map(citation, s.cites, s.coefficients or [ONE] * len(s.cites)))}" if s.cites else ""
    if s.rule in ("hypothesis", "definition"):
        others = [h for h in s.hypotheses if h != s.statement]
        return f"`{s.label}`: {'assumed' if s.rule == 'hypothesis' else 'definition'}{under(others)}."
    return f"`{s.label}`: by *{s.rule.replace('_', ' ')}*{cited}{under(s.hypotheses)}."


def citation(label: str, coefficient: Node) -> str:
    """The number of the line, and what it is multiplied by."""
    return ref(label) if coefficient == ONE else f"{ref(label)} times ${tex(coefficient)}$"


def under(hypotheses: Sequence[Statement]) -> str:
    if not hypotheses:
        return ""
    words = {"$p$ and $q$ are laws": LAWS, "$p$ and $q$ are not negative and have positive sums": GIVEN}
    whole = [said for said, all_of in words.items() if set(all_of) <= set(hypotheses)]
    rest = [h for h in hypotheses if not any(h in words[said] for said in whole)]
    return f", where {' and '.join(whole + [f'${tex(h)}$' for h in rest])}"


# ---- what the numbers say


def same_law(program: object, derived: object) -> None:
    if program != derived:
        raise ArithmeticError("the program and the derivation give different laws for the worked example")


def per_token(world: World, functions: Sequence[Function]) -> str:
    rows = [(x, *(show(world.value(f("x"), {"x": x})) for f in functions)) for x in range(world.V)]
    return table(["x", *(f"${tex(f('x'))}$" for f in functions)], rows)


def masses(world: World, names: Sequence[Name]) -> str:
    return table(["mass", "value"], [(f"${tex(name)}$", show(world.value(name))) for name in names])


def example() -> str:
    world = world_of(*EXAMPLE)
    dist, rate = emitted_distribution(*EXAMPLE)
    same_law((tuple(dist), rate), derived_law(world))
    return f"""## A worked example

The lines above with numbers in them; each was computed from the derivation, and the last column and $\\alpha$ once more by
the program `exact.emitted_distribution`, with the same result.

{per_token(world, PER_TOKEN)}

{masses(world, MASSES)}

The draft is accepted with probability {show(world.value(alpha))}. The rest, {show(world.value(Z))}, was drafted where the
draft has an excess, at {tokens(world, e)}, and goes to where the target has a residual, at {tokens(world, r)}."""


def example_as_given() -> str:
    target, draft = AS_GIVEN
    world = world_of(target, draft, STEPS_AS_GIVEN)
    dist, rate = rejection_law(target, draft)
    same_law((tuple(dist), rate), law_as_given(world))
    defect = [d - world.value(P("x"), {"x": x}) for x, d in enumerate(dist)]
    if not any(defect) or dist == target:
        raise ArithmeticError("the example of sums that are not 1 shows no defect")
    return f"""## An example with other sums

The same with vectors that sum to {show(world.value(S_p))} and {show(world.value(S_q))}: the lines of sections {1 + len(CHAPTERS)} to {len(CHAPTERS) + len(CHAPTERS_AS_GIVEN)} with numbers in them. $F$ and $\\alpha'$ were computed
once more by the program `exact.rejection_law`, with the same result.

{per_token(world, PER_TOKEN_AS_GIVEN)}

{masses(world, MASSES_AS_GIVEN)}

The program emits $F$ = {vector(dist)}. That is not $p$, and not $P$, the target over its sum, either: the defect $F - P$ is
{signed_vector(defect)}. Nothing in it was rounded."""


def signed_vector(values: Iterable[Number]) -> str:
    return f"({', '.join(show(v) if v >= 0 else f'minus {show(-v)}' for v in values)})"


def tokens(world: World, f: Function) -> str:
    """The tokens where a function is positive."""
    found = [x for x in range(world.V) if world.value(f("x"), {"x": x})]
    return f"token{'s' if len(found) > 1 else ''} {' and '.join(map(str, found))}"


def wrong_rules() -> str:
    rows = [wrong_rule(rule) for rule in WRONG.values()]
    by_chance = emission(RULES["redraw-from-p"], *HAPPY).dist == tuple(HAPPY[0])
    only_at_2 = isinstance(prove(2, of_laws(law_of(REMOVE))), FixedV) and isinstance(
        prove(3, of_laws(law_of(REMOVE))), Failure
    )
    if not (by_chance and only_at_2):
        raise ArithmeticError("what is said of rules that are right on some pairs does not hold")
    return f"""## Common wrong rules

Each is the program above with one thing changed, or two that go together, and each is caught by the pair shown: the smallest, by number of tokens
and then by common denominator, on which the law is not right, or the acceptance probability where the law is. *Breaks* is the line of
the derivation that no longer holds: of accepted mass, of redrawn mass, or of $\\alpha$, the first that fails.

{table(["rule", "what it does", "p", "q", "emits", "off by", "reports", "breaks"], rows)}

*Off by* is the total variation from $p$, as far as a token is emitted at all; *reports* is the acceptance probability, and
the true $1 - \\mathrm{{TV}}$ where it differs. A wrong rule can be right by chance: redrawing from $p$ is lossless at
$p$ = {vector(HAPPY[0])}, $q$ = {vector(HAPPY[1])}. The rule `{REMOVE}` is lossless over two tokens,
for every pair (by the fixed-V proof below, with this rule in the place of the right one), and wrong over three.

Why not redraw from $p$, which is the law that is wanted? On the pair of the worked example:

{redraw_picture(*EXAMPLE).markdown}

The overlap has come out already, and $p$ brings it a second time: a token whose bar is full gets some of the rejected mass, and a token
with a residual gets too little of it."""


REMOVE = "remove-only-the-rejected"
HAPPY = read_laws(["1/2", "1/2", 0], ["1/4", "1/4", "1/2"])


def wrong_rule(rule: Rule) -> tuple[str, ...]:
    p, q = smallest_wrong(rule)
    got = emission(rule, p, q)
    distance = show(sum(abs(x - y) for x, y in zip(got.dist, p, strict=True)) / 2)
    alpha = show(got.alpha) + (f", not {show(rate(p, q))}" if got.alpha != rate(p, q) else "")
    return f"`{rule.name}`", rule.sentence, vector(p), vector(q), vector(got.dist), distance, alpha, ref(rule.breaks)


def rate(p: Sequence[Fraction], q: Sequence[Fraction]) -> Fraction:
    return Fraction(1 - total_variation(p, q))


# ---- how it was checked


def how_checked(evidence: Evidence) -> str:
    rejected = sum(1 for forgery, at in evidence.forged if at == forgery.label)
    laws = sum(sum(p) == sum(q) == 1 for p, q in vector_pairs(TOKENS))
    without = sum(mutant.operator == "drop a hypothesis" for mutant in evidence.unrefuted)
    return f"""## How it was checked

**The kernel** accepts a line only if one of {len(KERNEL_RULES)} rules gives it from the lines it cites. It accepted all
{len(evidence.facts)} lines, for every vocabulary at once.

{table(["rule", "why it is sound"], [(f"*{name.replace('_', ' ')}*", first_line(rule)) for name, rule in KERNEL_RULES.items()])}

**Values.** Every line was evaluated by exact fractions on every pair of laws with at most {TOKENS} tokens and a common
denominator of at most {DENOMINATOR}, {evidence.evaluated} pairs, and its two sides compared with ==; on the same
pairs the program `exact.rejection_law` gave the law and the acceptance probability of the derivation. Lines {ref(NEW[0].label)} to {ref(NEW[-1].label)}, and those
that they rest on, were evaluated as well on every pair of vectors, not all 0, with at most {TOKENS} tokens and entries {", ".join(map(show, ENTRIES))}: {evidence.given} pairs,
{laws} of them laws. There too the program gave $F$ and $\\alpha'$.

**Fixed vocabularies.** The program `exact.rejection_law` itself was run on positive symbols, once for each way in which
the tokens can compare (each token in one of six regions), and emitted $p$ and accepted with $1 - \\mathrm{{TV}}$ as identities
of rational functions:

{table(["tokens", "patterns proved", "patterns that no two laws have", "coverage"], map(fixed_row, evidence.fixed))}

**Mutants.** Operators over the tree made {len(evidence.mutants)} distinct wrong or weaker derivations. An exact
counterexample refutes {len(evidence.refuted)} of them, and the kernel rejected {sum(bool(mutant.rejected_at) for mutant in evidence.refuted)} of these. It rejected
{len(evidence.unrefuted)} more that hold wherever they were evaluated: true, but not what the citations give, {without} of them
with a hypothesis dropped that the statement does not need and its proof does. It accepted {len(evidence.survivors)}, all of
which hold wherever they were evaluated (operator and lines): {listed(evidence)}.

{table(["operator", "mutants", "refuted and rejected", "rejected, but nowhere false", "those are in lines"], operator_rows(evidence))}

**Forgeries.** {rejected} of {len(evidence.forged)} forged derivations were rejected at the forged step:
{"; ".join(forgery.name for forgery, _ in evidence.forged)}.

{table(["line", "label", "mutants refuted", "digest"], (record(s, evidence) for s in LINES))}

Digests are the first 16 hex digits of a sha256: of each line with its rule, citations and hypotheses above; of the source
of the kernel and what it rests on (together with SymPy's polynomials), `{digest_of_checker()}`; of the mutants, `{digest(repr(mutant_list(evidence)))}`."""


def first_line(rule: object) -> str:
    return (rule.__doc__ or "").strip().splitlines()[0]


def fixed_row(result: object) -> tuple[object, ...]:
    if not isinstance(result, FixedV):
        raise ArithmeticError(f"the fixed-V proof failed: {result}")
    coverage = "one of each class that differs by the order of tokens" if result.up_to_order else "every pattern"
    return result.V, result.proved, result.impossible, coverage


def listed(evidence: Evidence) -> str:
    """The mutants that the kernel accepted, by operator."""
    kinds = dict.fromkeys(kind_of(mutant.operator) for mutant in evidence.survivors)
    return "; ".join(f"*{kind}*, {at_lines(evidence.survivors, kind)}" for kind in kinds)


def operator_rows(evidence: Evidence) -> list[tuple[object, ...]]:
    made, refuted, unrefuted = (
        Counter(kind_of(mutant.operator) for mutant in mutants)
        for mutants in (evidence.mutants, evidence.refuted, evidence.unrefuted)
    )
    return [(k, made[k], refuted[k], unrefuted[k], at_lines(evidence.unrefuted, k)) for k in sorted(made)]


def at_lines(mutants: Iterable[Mutant], kind: str) -> str:
    """The numbers of the lines that have such mutants, runs of them in short."""
    return spans(NUMBER[mutant.label] for mutant in mutants if kind_of(mutant.operator) == kind) or "none"


def kind_of(operator: str) -> str:
    return "one letter for another" if " for " in operator else operator


def record(s: Step, evidence: Evidence) -> tuple[object, ...]:
    mutants = evidence.mutants_of(s.label)
    refuted = f"{sum(bool(mutant.failing) for mutant in mutants)} of {len(mutants)}" if mutants else "none made"
    return ref(s.label), f"`{s.label}`", refuted, f"`{digest(as_text(s))}`"


def as_text(s: Step) -> str:
    return "; ".join((plain(s.statement), s.rule, *s.cites, *map(plain, s.hypotheses), *map(plain, s.coefficients)))


def mutant_list(evidence: Evidence) -> list[tuple[str, str, str]]:
    return [(mutant.label, mutant.operator, plain(mutant.statement)) for mutant in evidence.mutants]


# ---- the end


def not_claimed() -> str:
    return """## What is not claimed

Nothing here is about a program that draws its token from another law than the $q$ in its ratio, reuses its coin, or reads
other logits than it reports; that is what an audit of the program is for. Nothing is claimed about several draft tokens in
a row, trees of drafts, or several drafts at one position. Nothing is claimed about speed, beyond the acceptance
probability. A pseudo-random generator does not give independent uniforms, and its finite grid adds a bias of its own. In
floating point the law is the one of the section above, not $p$ itself."""


def references() -> str:
    return """## References

Y. Leviathan, M. Kalman, Y. Matias: *Fast Inference from Transformers via Speculative Decoding*. ICML 2023,
arXiv:2211.17192. The algorithm and the acceptance rate.

C. Chen, S. Borgeaud, G. Irving, J.-B. Lespiau, L. Sifre, J. Jumper: *Accelerating Large Language Model Decoding with
Speculative Sampling*. 2023, arXiv:2302.01318. The same algorithm, found independently, with its proof.

N. J. Higham: *Accuracy and Stability of Numerical Algorithms*, second edition. SIAM 2002. Rounding errors of sums."""
