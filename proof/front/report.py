"""What `samelaw check FILE.py:name` says: the judgement of a function as text and as JSON.

A failure says, in this order: the first claim that fails; the smallest p and q found; per token wanted, got and off
by; the known rule and the step of the derivation that it breaks; the command that replays it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exact.reading import LawError
from exact.rules import SELF_CHECK_RULE, Rule, emission
from exact.text import aligned, wrapped
from proof.front import COULD_NOT_RUN, COUNTEREXAMPLE, HOLDS
from proof.front.broken import broken_step_texts
from proof.front.candidate import Answer, Candidate, Trouble, Value
from proof.front.cases import Case, given_case, same_bits
from proof.front.verdict import (
    CLAIMS,
    IDENTICAL,
    RUNS,
    Coverage,
    Tried,
    Verdict,
    ended,
    got_text,
    in_less_than_double,
    judge_everywhere,
    judge_pair,
    number_text,
    self_check,
    tried_again,
)
from proof.progress import Progress, silent

TIMEOUT = 10.0
MOST_ROWS = 40
VERDICTS = ("holds", "counterexample", "could not run")


def judge_function(
    target: str,
    *,
    timeout: float = TIMEOUT,
    strict: bool = False,
    pair: tuple[list[Any], list[Any]] | None = None,
    progress: Progress = silent,
) -> Report:
    """Judge the function that FILE.py:name or module:name names, in a process of its own.

    timeout: seconds for one call; the import has the same, but at least 30.  strict: a result that is the exact law
    but near and not certified fails, and so does a float32 result on the drill's pairs.  pair: only this p and q, each
    [V] numbers or strings.  progress(stage, done, total) after each pair.  Raises nothing: what could not be run is
    a report with exit code 2.
    """
    try:
        case = given_case(pair) if pair is not None else None
        rejected = self_check()
        with Candidate(target, timeout) as candidate:
            if case is not None:
                verdict = judge_pair(candidate.call, case, strict)
            else:
                verdict = judge_everywhere(candidate.call, strict, progress)
        if verdict.failed:
            verdict = alone(target, timeout, verdict)
    except LawError as error:
        return Report(target, timeout, error=str(error))
    return Report(target, timeout, rejected, verdict)


def alone(target: str, timeout: float, verdict: Verdict) -> Verdict:
    """With the smallest failure tried again, in a process that has had no call before it."""
    try:
        with Candidate(target, timeout) as candidate:
            return tried_again(candidate.call, verdict)
    except LawError as error:  # it could be imported once, but not twice
        trouble = Trouble(str(error), ended=True)
        return tried_again(lambda *_: trouble, verdict)


@dataclass(frozen=True)
class Report:
    """The result of one check: what the self-check rejected, and the verdict; or the error, where it could not run."""

    target: str
    timeout: float = TIMEOUT
    rejected: Tried | None = None
    verdict: Verdict | None = None
    error: str = ""

    @property
    def exit_code(self) -> int:
        """0 holds, 1 a counterexample was found, 2 could not run."""
        if self.verdict is None:
            return COULD_NOT_RUN
        return COUNTEREXAMPLE if self.verdict.failed else HOLDS

    def text(self) -> str:
        """Plain text, no wider than COLUMNS says, or 100, except for a table, a path or a command that is wider."""
        if self.verdict is None or self.rejected is None:
            return f"could not run: {self.error}"
        parts = [[f"samelaw check {self.target}", *wrapped(self_check_text(self.rejected))]]
        parts += self._failure(self.verdict) if self.verdict.smallest else [[*wrapped(HOLDS_TEXT)]]
        parts += [claim_lines(self.verdict), coverage_lines(self.verdict)]
        parts += [[line for note in notes(self.verdict) for line in wrapped(f"note: {note}")]]
        return "\n\n".join("\n".join(part) for part in parts if part)

    def _failure(self, verdict: Verdict) -> Iterator[list[str]]:
        worst = verdict.smallest
        assert worst is not None
        claim, reason = worst.failures[0]
        p, q = (", ".join(texts(law)) for law in (worst.case.p, worst.case.q))
        at = f" ({worst.case.name})" if worst.case.name else ""
        head = [*wrapped(f"WRONG: {claim}: {reason}"), *wrapped(f"p = {p}", 4), *wrapped(f"q = {q}{at}", 4)]
        yield [*head, *([] if verdict.steady else wrapped(UNSTEADY))]
        yield table_lines(worst, verdict.known_rules, verdict.strict)
        yield [line for text in rule_texts(verdict) for line in wrapped(text, 4 if text.startswith(" ") else 2)]
        yield [f"replay: {self.replay(worst.case)}"] if verdict.fails_again else wrapped(NOT_ALONE)

    def replay(self, case: Case) -> str:
        """The command that runs this pair alone."""
        options = " --strict" if self.verdict and self.verdict.strict else ""
        options += f" --timeout {self.timeout:g}" if self.timeout != TIMEOUT else ""
        p, q = (",".join(texts(law)) for law in (case.p, case.q))
        return f"samelaw check {shlex.quote(self.target)} --p {p} --q {q}{options}"

    def as_json(self) -> dict[str, Any]:
        """The same as one value of plain lists, dicts, strings and numbers; numbers of a law are strings."""
        report: dict[str, Any] = {
            "target": self.target, "exit_code": self.exit_code, "verdict": VERDICTS[self.exit_code],
        }  # fmt: skip
        if self.verdict is None or self.rejected is None:
            return report | {"error": self.error}
        return report | {
            "strict": self.verdict.strict,
            "self_check": {"rule": SELF_CHECK_RULE, **pair_json(self.rejected)},
            "claims": {claim: self.verdict.failures_of(claim) for claim in CLAIMS},
            "coverage": [vars(group) for group in self.verdict.coverage],
            "counterexample": self._counterexample_json(self.verdict),
            "rounding": rounding_json(self.verdict),
            "notes": list(notes(self.verdict)),
        }

    def _counterexample_json(self, verdict: Verdict) -> dict[str, Any] | None:
        worst = verdict.smallest
        if worst is None:
            return None
        header, *rows = table(worst, verdict.known_rules, verdict.strict)
        return pair_json(worst) | {
            "table": [dict(zip(header, row, strict=True)) for row in rows],
            "rules": [rule_json(rule) for rule in verdict.known_rules],
            "rules_of_dist_alone": [rule.name for rule in verdict.dist_of],
            "float_witnesses_unlike_the_rule": verdict.witnesses_off,
            "only_alpha": verdict.only_alpha,
            "depends_on_earlier_calls_or_chance": not verdict.steady,
            "replay": self.replay(worst.case) if verdict.fails_again else None,
        }


# ---- sentences


def self_check_text(rejected: Tried) -> str:
    claim, reason = rejected.failures[0]
    p, q = (", ".join(texts(law)) for law in (rejected.case.p, rejected.case.q))
    return f"self-check: this checker rejects {SELF_CHECK_RULE} at p = {p} and q = {q} ({claim}: {reason})."


HOLDS_TEXT = (
    "HOLDS: no pair tried tells it from the exact law, up to rounding that a theorem bounds. "
    "That is a fact about the pairs below, not a proof for every pair."
)

UNSTEADY = (
    "The answer depends on earlier calls or on chance: the same p and q gave another answer in a process of its own."
)
NOT_ALONE = "replay: none: the failure does not come back when this pair runs alone."


def rule_texts(verdict: Verdict) -> Iterator[str]:
    """Which rule it is, and the step of the derivation that it breaks; nothing where there was no output to compare."""
    if verdict.smallest and verdict.smallest.failures[0].claim == RUNS:
        return
    if verdict.only_alpha:
        yield "The tokens are right, alpha is not: dist holds on every pair tried."
    if len(verdict.known_rules) == 1:
        yield from one_rule_texts(verdict)
    elif verdict.known_rules:
        names = ", ".join(rule.name for rule in verdict.known_rules)
        yield f"known rules: the pairs tried do not tell apart {names}; a run over all pairs does."
    elif verdict.dist_of:
        names = ", ".join(rule.name for rule in verdict.dist_of)
        pairs = pairs_text(verdict, verdict.witnesses_off)
        yield f"no known rule: on {pairs} dist is that of {names}, but alpha is right, unlike that rule's."
    else:
        yield "no known rule: none of the table gives this output on every pair tried."


def one_rule_texts(verdict: Verdict) -> Iterator[str]:
    rule = verdict.known_rules[0]
    yield (
        f"rule: {rule.name}: {rule.sentence}; it gives the same dist and alpha on "
        f"{pairs_text(verdict, verdict.witnesses_off)}."
    )
    case = verdict.smallest.case if verdict.smallest else None
    yield from broken_step_texts(rule.breaks, *((case.p, case.q) if case else ()))


def pairs_text(verdict: Verdict, but: int) -> str:
    """Floats may lose to underflow or overflow, on the witnesses made for that, what the rule has exactly."""
    tried = len(verdict.tried)
    if not but:
        return f"every pair tried ({tried:,})"
    return f"every pair tried but {but} float witness{'es' if but > 1 else ''} ({tried - but:,} of {tried:,})"


def notes(verdict: Verdict) -> Iterator[str]:
    """What a reader should know and what is no failure."""
    near = [t for t in verdict.tried if t.near_only]
    if near and not verdict.failed:
        yield (
            f"on {len(near):,} of {len(verdict.tried):,} pairs a token is farther from the exact law, relative "
            "to its own size, than our program can be, though all errors together are within the distance "
            "that a correct float program can reach (numeric/crosscheck.py): near, but not certified there. "
            f"The most is {largest_text(near, pair_name_in_full)}. "
            "--strict makes that a failure."
        )
    narrow = next((t.outcome for t in verdict.tried if in_less_than_double(t.outcome)), None)
    if isinstance(narrow, Answer):
        yield f"it returns {narrow.dtype}, and is judged by the rounding of {narrow.dtype}" + (
            f"; --strict asks for the drill's 1e-12, which {narrow.dtype} cannot reach." if not verdict.strict else "."
        )
    if not verdict.failed and all(map(returns_p, verdict.tried)):
        yield "dist is p itself, bit for bit, on every pair: this shows that the law is p, not that a sampler has it."
    if any(ended(t.outcome) for t in verdict.tried):
        yield "a group of pairs is left at a call that does not return or that ends the process; the rest is not run."


def returns_p(tried: Tried) -> bool:
    return isinstance(tried.outcome, Answer) and list(tried.outcome.dist) == tried.case.floats[0].tolist()


def pair_name(case: Case) -> str:
    return case.name or pair_text(case)


def pair_name_in_full(case: Case) -> str:
    return f"{case.name}: {pair_text(case)}" if case.name else pair_text(case)


def pair_text(case: Case) -> str:
    return f"p = {', '.join(texts(case.p))}; q = {', '.join(texts(case.q))}"


def largest_text(tried: Iterable[Tried], name: Callable[[Case], str] = pair_name) -> str:
    ulps, where = largest(tried, name)
    return f"{float(ulps):.3g} ulp{f' ({where})' if where else ''}"


def largest(tried: Iterable[Tried], name: Callable[[Case], str] = pair_name) -> tuple[Fraction, str]:
    """The largest rounding of a token, in units in its last place, and the pair where it is."""
    most, where = Fraction(0), ""
    for t in tried:
        if t.on_dist and t.on_dist.rounding and t.on_dist.rounding.ulps > most:
            most, where = t.on_dist.rounding.ulps, name(t.case)
    return most, where


# ---- tables


def table(tried: Tried, rules: Sequence[Rule], strict: bool = False) -> list[list[str]]:
    """Header and rows; where one known rule gives the output, its exact value is a column and "off by" is exact."""
    rule = rules[0] if len(rules) == 1 else None
    header = ["token", "wanted", "got", "off by", *([rule.name] if rule else [])]
    wanted = [*tried.case.law[0], tried.case.law[1]]
    by_rule = rule_values(rule, tried.case) if rule else None
    outside = (is_outside(w, got, tried) for w, (got, _) in zip(wanted, got_values(tried), strict=True))
    rows, amounts = [], strict or not any(outside)
    for i, (w, (got, dtype)) in enumerate(zip(wanted, got_values(tried), strict=True)):
        token = str(i) if i < len(tried.case.p) else "alpha"
        exact = by_rule[i] if by_rule else got
        row = [
            token,
            number_text(w),
            got_text(got, dtype) if got is not None else "nothing",
            off_by(exact, w, tried, amounts),
        ]
        rows.append([*row, *([number_text(by_rule[i])] if by_rule else [])])
    return [header, *rows]


def rule_values(rule: Rule, case: Case) -> list[Fraction]:
    emitted = emission(rule, case.p, case.q)
    return [*emitted.dist, emitted.alpha]


def got_values(tried: Tried) -> list[tuple[Value | None, str]]:
    answer = tried.outcome
    if not isinstance(answer, Answer):
        return [(None, "")] * (len(tried.case.p) + 1)
    dtype, alpha_dtype = answer.dtype, answer.alpha_dtype
    return [*((x, dtype) for x in answer.dist), (answer.alpha, alpha_dtype)]


def is_outside(wanted: Fraction, got: Value | None, tried: Tried) -> bool:
    return isinstance(got, Fraction) and bool(tried.on_dist) and abs(got - wanted) > min(tried.ball, wanted / 2)


def off_by(got: Value | None, wanted: Fraction, tried: Tried, amounts: bool) -> str:
    """amounts: in numbers also where it is within the ball, as what fails is then none of what is outside of it."""
    if got is None or isinstance(got, float):
        return "-"
    gap = got - wanted
    if gap and tried.on_dist and not amounts and not is_outside(wanted, got, tried):
        return "rounding"
    text = number_text(gap)
    return text if "." not in text and "e" not in text else f"{float(gap):.6g}"


def table_lines(tried: Tried, rules: Sequence[Rule], strict: bool) -> list[str]:
    if not isinstance(tried.outcome, Answer):
        wanted = ", ".join(texts(tried.case.law[0]))
        return wrapped(f"wanted dist = {wanted} and alpha = {number_text(tried.case.law[1])}", 4)
    header, *rows = table(tried, rules, strict)
    shown = [row for row in rows if row[3] not in ("0", "rounding")] if len(rows) > MOST_ROWS else rows
    left_out = len(rows) - len(shown[:MOST_ROWS])
    return [*aligned([header, *shown[:MOST_ROWS]]), *([f"({left_out:,} rows are left out)"] if left_out else [])]


def claim_lines(verdict: Verdict) -> list[str]:
    answered = sum(t.on_dist is not None for t in verdict.tried)
    identical = sum(same_bits(t.case) and not any(f.claim == RUNS for f in t.failures) for t in verdict.tried)
    asked = {RUNS: len(verdict.tried), IDENTICAL: identical}
    rows = [[claim, f"{verdict.failures_of(claim):,}", f"{asked.get(claim, answered):,}"] for claim in CLAIMS]
    return aligned([["claim", "fails", "of pairs"], *rows])


def coverage_lines(verdict: Verdict) -> list[str]:
    rows = [[run_text(c), f"{c.group}, V {tokens_text(c)}"] for c in verdict.coverage]
    within = [t for t in verdict.tried if t.on_dist and t.on_dist.holds(strict=True)]
    rounding = f"largest rounding within the bound: {largest_text(within)}" if within and not verdict.failed else ""
    return [*aligned([["run", "pairs"], *rows]), *wrapped(rounding)]


def run_text(group: Coverage) -> str:
    return f"{group.run:,}" if group.run == group.planned else f"{group.run:,} of {group.planned:,}"


def tokens_text(group: Coverage) -> str:
    few, many = group.fewest_tokens, group.most_tokens
    return str(few) if few == many else f"{few} to {many}"


# ---- pieces of JSON


def pair_json(tried: Tried) -> dict[str, Any]:
    claim, reason = tried.failures[0]
    p, q = texts(tried.case.p), texts(tried.case.q)
    return {"claim": claim, "reason": reason, "p": p, "q": q, "group": tried.case.group, "name": tried.case.name}


def rule_json(rule: Rule) -> dict[str, str]:
    from proof.notation import plain
    from proof.rejection import step

    broken = plain(step(rule.breaks).statement)
    return {"name": rule.name, "sentence": rule.sentence, "breaks": rule.breaks, "statement": broken}


def rounding_json(verdict: Verdict) -> dict[str, Any]:
    def of(checks: Sequence[Tried]) -> dict[str, Any]:
        ulps, where = largest(checks)
        return {"pairs": len(checks), "largest_ulps": float(ulps), "at": where}

    within = [t for t in verdict.tried if t.on_dist and t.on_dist.holds(strict=True)]
    return {"within_the_bound": of(within), "near_not_certified": of([t for t in verdict.tried if t.near_only])}


# ---- text


def texts(law: Iterable[Fraction]) -> list[str]:
    return [number_text(x) for x in law]
