"""The command line: `samelaw check`, `audit`, `prove`, `step` and `drill`.

Exit codes: 0 holds, 1 a counterexample was found, 2 could not run.  What a person reads goes to stdout, progress and
errors to stderr.  A command imports what it needs when it runs.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from exact.reading import LawError, show
from proof.front import COULD_NOT_RUN, COUNTEREXAMPLE, HOLDS
from proof.front.audit_options import EXAMPLES as AUDIT_EXAMPLES
from proof.front.audit_options import add_options as add_audit_options
from proof.front.drill_options import EXAMPLES as DRILL_EXAMPLES
from proof.front.drill_options import add_options as add_drill_options
from proof.front.step_options import EXAMPLES as STEP_EXAMPLES
from proof.front.step_options import add_options as add_step_options
from proof.progress import Meter

DOORS = """\
reader    samelaw prove                                   derive and check the theorem, write paper.md
engineer  samelaw audit verifier.py:emit                  is my sampler lossless, and if not, on which pair
          samelaw check verifier.py:emitted_distribution  the same of a function that returns the law
learner   samelaw step                                    the derivation, line by line, with your own numbers
          samelaw drill                                   eight exercises, graded exactly
"""

CHECK_EXAMPLES = """\
examples:
  samelaw check                                    the package itself, on small pairs and on English text
  samelaw check verifier.py:emitted_distribution   a function (p, q) -> (dist, alpha) of yours
  samelaw check package.module:function            the same, from an importable module
  samelaw check --pairs pairs.json                 your own pairs; with dist and alpha, or tokens, your own output
  samelaw check --pairs logits.npz --temperature 0.7 --top-k 50
  samelaw check --p 1/2,1/3,1/6 --q 1/6,1/3,1/2    one pair, line by line
  samelaw check --text book.txt                    next-word laws from a text of yours

a file of pairs: {"p": [...], "q": [...]} or a list of such in .json, numbers or strings such as "1/3"; arrays p and q,
[V] or [N, V], in .npz; one array [2, V] or [N, 2, V] in .npy; and in .json and .npz
  p_logits, q_logits   logits in the place of p and q; --temperature, --top-k and --top-p apply to them, in this order,
                       tokens with equal logits together; -inf is a masked token
  dist, alpha          your output: the law of the emitted token, and the acceptance probability
  tokens               ids of tokens that your engine emitted, [n] for each pair, where it gives no law
  counts               or how often it emitted each, [V]
Samples are judged at the level 1/1000 for all of a file together; a sample that holds says what TV it cannot see.
Rows of a .npy file and of arrays saved with np.savez are read one at a time; np.savez_compressed is read whole.

exit codes: 0 holds, 1 a counterexample was found, 2 could not run
"""

PROVE_EXAMPLES = """\
examples:
  samelaw prove                    derive, check, attack, and write ./paper.md and its figures in ./proof/figures
  samelaw prove -o proof.md        write another file, with its figures in proof/figures beside it
  samelaw prove --check            compare ./paper.md and its figures with what a run gives, and print the difference

exit codes: 0 proved (and, with --check, the same), 1 not proved or not the same, 2 could not run
"""


class Parser(argparse.ArgumentParser):
    """One line of error, in the words of the house; an option is written out."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> Any:
        self.exit(COULD_NOT_RUN, f"samelaw: {message}; see {self.prog} --help\n")


def parser() -> Parser:
    raw = argparse.RawDescriptionHelpFormatter
    top = Parser(
        prog="samelaw", description="Is this verifier lossless? Exact checks and the proof.", formatter_class=raw
    )
    top.set_defaults(run=show_doors)
    top.add_argument("--version", action="version", version=f"samelaw {installed_version()}")
    commands = top.add_subparsers(dest="command", title="commands", metavar="command")
    check = commands.add_parser("check", help="run the exact checks", epilog=CHECK_EXAMPLES, formatter_class=raw)
    check.add_argument("target", nargs="?", metavar="FILE.py:NAME", help="a function (p, q) -> (dist, alpha) to judge")
    check.add_argument("--pairs", metavar="FILE", help=".json, .npz or .npy with pairs and your output, see below")
    check.add_argument("--temperature", type=temperature, metavar="T", help="of logits in FILE; 0: the largest alone")
    check.add_argument("--top-k", type=top_k, metavar="K", help="of logits in FILE: the K largest")
    check.add_argument("--top-p", type=top_p, metavar="P", help="of logits in FILE: the largest that sum to P")
    check.add_argument("--text", metavar="FILE", help="UTF-8 text in the place of the built-in one")
    check.add_argument("--p", metavar="NUMBERS", help="target law, numbers with commas between: 1/2,0.25,25%%")
    check.add_argument("--q", metavar="NUMBERS", help="draft law")
    check.add_argument(
        "--timeout", type=positive, default=10.0, metavar="S", help="seconds for one call of the function"
    )
    check.add_argument("--seed", type=seed, default=0, metavar="N", help="seed of the sampled pairs (default 0)")
    check.add_argument("--strict", action="store_true", help="near the law but not certified is a failure, not a note")
    check.add_argument("-v", "--verbose", action="store_true", help="with the ledger of the roundings of a float")
    check.add_argument("--json", action="store_true", help="the report as JSON")
    check.set_defaults(run=run_check)
    audit = commands.add_parser(
        "audit", help="the exact law of a verifier, from its code", epilog=AUDIT_EXAMPLES, formatter_class=raw
    )
    add_audit_options(audit, seed)
    audit.set_defaults(run=run_audit)
    prove = commands.add_parser(
        "prove", help="derive, check, write paper.md", epilog=PROVE_EXAMPLES, formatter_class=raw
    )
    prove.add_argument("-o", "--output", default="paper.md", metavar="FILE", help="where to write (default ./paper.md)")
    prove.add_argument("--check", nargs="?", const="paper.md", metavar="FILE", help="compare with FILE, write nothing")
    prove.add_argument("--json", action="store_true", help="the counts as JSON")
    prove.set_defaults(run=run_prove)
    step = commands.add_parser("step", help="the derivation as a lesson", epilog=STEP_EXAMPLES, formatter_class=raw)
    add_step_options(step, seed)
    step.set_defaults(run=run_step)
    drill = commands.add_parser("drill", help="eight exercises", epilog=DRILL_EXAMPLES, formatter_class=raw)
    add_drill_options(drill, positive)
    drill.set_defaults(run=run_drill)
    return top


def positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"timeout={text}: it is a positive number of seconds; give one such as 10")
    return value


def seed(text: str) -> int:
    if not (text.isdecimal() and len(text) < 20):
        raise argparse.ArgumentTypeError(f"seed={text}: it is a whole number from 0 on, below 10^19; give one")
    return int(text)


def setting(name: str, value: object) -> Any:
    """One of the settings that make laws of logits, read by `numeric.logits`."""
    from numeric.logits import read_settings

    try:
        return getattr(read_settings(**{name: value}), name)
    except LawError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def temperature(text: str) -> Any:
    return setting("temperature", text)


def top_k(text: str) -> Any:
    return setting("top_k", int(text) if text.isdecimal() and len(text) < 20 else text)


def top_p(text: str) -> Any:
    return setting("top_p", text)


def installed_version() -> str:
    try:
        return version("samelaw")
    except PackageNotFoundError:
        return "(not installed)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; no trace for bad input, a full pipe or ctrl-C."""
    meter = Meter()
    try:
        try:
            options = parser().parse_args(joined(sys.argv[1:] if arguments is None else arguments))
            return int(options.run(options, meter))
        finally:
            if sys.stdout:
                sys.stdout.flush()  # now, and not when Python ends, where it would leave a trace
    except LawError as error:
        meter.end()
        print(f"samelaw: {error}", file=sys.stderr)
        return COULD_NOT_RUN
    except KeyboardInterrupt:
        meter.end()
        print("samelaw: interrupted; nothing was written", file=sys.stderr)
        return COULD_NOT_RUN
    except OSError as error:  # nobody reads on, or the disk is full
        meter.end()
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            what = error.filename or "the output"
            print(f"samelaw: {what} cannot be read or written ({error.strerror}); mend that", file=sys.stderr)
        return COULD_NOT_RUN


def joined(arguments: Sequence[str]) -> list[str]:
    """--p -1,2 as --p=-1,2: a law that starts with a minus sign is no option, and has a better error of its own.

    >>> joined(["check", "--p", "-1,2", "--q", "1,0"])
    ['check', '--p=-1,2', '--q', '1,0']
    """
    words: list[str] = []
    for word in arguments:
        if words and words[-1] in ("--p", "--q") and word.startswith("-") and not word.startswith("--"):
            words[-1] += f"={word}"
        else:
            words.append(word)
    return words


def show_doors(_options: argparse.Namespace, _meter: Meter) -> int:
    print(DOORS, end="")
    return HOLDS


# ---- samelaw check


def run_check(options: argparse.Namespace, meter: Meter) -> int:
    require_both(options)
    asked = [name for name in ("target", "pairs", "text", "p") if getattr(options, name) is not None]
    if len(asked) > 1 and asked != ["target", "p"]:
        raise LawError(f"{' and '.join(asked)}: one kind of input at a time; give one")
    if settings_given(options) and options.pairs is None:
        raise LawError(
            f"{option(settings_given(options))}: it is for logits in a file; give --pairs FILE, or leave it out"
        )
    if options.verbose and (options.target is not None or options.p is not None):
        raise LawError("-v: it is for floats that are checked, with --pairs or with nothing; leave it out")
    if options.target is not None:
        return check_function(options, meter)
    if options.pairs is not None:
        return check_pairs(options, meter)
    return check_one(options) if options.p is not None else check_all(options, meter)


def require_both(options: argparse.Namespace) -> None:
    if (options.p is None) != (options.q is None):
        raise LawError("--p and --q: a pair has both; give the other one too")


def check_all(options: argparse.Namespace, meter: Meter) -> int:
    """The package against itself and against the theorem: small pairs, larger ones, floats, statements, text."""
    from proof.front import check
    from proof.front.book import example_text
    from proof.front.text_laws import read_text

    text = read_text(options.text)
    rejected = prove_that_it_rejects(options, check.self_check)
    groups = []
    for group in check.all_groups(text, options.seed, meter, options.strict):
        meter.end()
        groups.append(group)
        say(options, [group_text(group)])
    ledger = example_text().splitlines() if options.verbose else []
    say(options, ledger)
    failed = sum(len(group.failures) for group in groups)
    report = {
        "rejects": rejected,
        **({"ledger": ledger} if ledger else {}),
        "seed": options.seed,
        "groups": [vars(group) for group in groups],
        "failures": failed,
    }
    verdict = (
        f"holds on all {sum(g.count for g in groups):,} checks (seed {options.seed})"
        if not failed
        else f"{failed:,} failures"
    )
    say(options, [verdict], report)
    return COUNTEREXAMPLE if failed else HOLDS


def prove_that_it_rejects(options: argparse.Namespace, self_check: Any) -> str:
    """One wrong rule through the same check; a checker that cannot reject does not run."""
    from exact.rules import SELF_CHECK_RULE, rule_named
    from proof.front import check
    from exact.text import wrapped

    found = self_check()
    if found is None:
        raise LawError(
            f"self-check: the rule {SELF_CHECK_RULE} ({rule_named(SELF_CHECK_RULE).sentence}) was not rejected, "
            "so this check proves nothing; reinstall"
        )
    pair, reason = found
    sentence = f"can it reject? {SELF_CHECK_RULE}, at {check.at(pair)}: {reason}. Rejected."
    say(options, [*wrapped(sentence, 4), ""])
    return sentence


def group_text(group: Any) -> str:
    """One group: its claim, coverage, count, figures, and the first failures."""
    from exact.text import width, wrapped

    verdict = "ok" if not group.failures else f"{len(group.failures):,} FAIL"
    indent = 35 if width() >= 80 else 4
    lines = wrapped(f"{group.name:14} {group.count:>11,} {verdict:>6}  {group.coverage}", indent)
    for text in (group.claim, *(f"{name}: {value}" for name, value in group.figures.items())):
        lines += wrapped(f"{'':{indent}}{text}", indent)
    for failure in group.failures[:5]:
        lines += wrapped(f"  {failure}", 4)
    if len(group.failures) > 5:
        lines.append(f"  and {len(group.failures) - 5:,} more")
    return "\n".join(lines)


def check_pairs(options: argparse.Namespace, meter: Meter) -> int:
    """Every row of a file; one that is no pair of laws, or has no sample of it, is named, and the rest is checked."""
    from numeric.logits import Settings
    from numeric.samples import LEVEL
    from proof.front import pairs_file
    from exact.text import wrapped

    rows = pairs_file.read_rows(options.pairs)
    given = settings_given(options)
    if given and not any(row.has_logits for row in rows):
        raise LawError(f"{option(given)}: it is for p_logits and q_logits, and {options.pairs} has none; leave it out")
    rejected = [prove_that_it_rejects(options, pairs_file.self_check)]
    samples = sum(row.has_sample for row in rows)
    if samples:
        rejected.append(prove_that_it_rejects(options, pairs_file.sample_self_check))
    findings = []
    for done, row in enumerate(rows, 1):
        meter("pairs", done, len(rows))
        found = pairs_file.judge(row, options.strict, Settings(**given), LEVEL / max(samples, 1), options.verbose)
        meter.end()
        findings.append(found)
        say(options, [*wrapped(f"{found.name}: {found.verdict}: {found.sentence}", 4), *found.ledger])
    count = {verdict: sum(f.verdict == verdict for f in findings) for verdict in ("holds", "near", "wrong", "bad")}
    near = f"{count['near']} near but not certified, " if count["near"] else ""
    summary = f"{count['holds']} hold, {near}{count['wrong']} wrong, {count['bad']} bad"
    together = pairs_file.together(findings)
    report = {
        "rejects": rejected[0],
        **({"rejects_samples": rejected[1]} if samples else {}),
        "settings": given,
        "pairs": [{**vars(f), "named": f.named and vars(f.named)} for f in findings],
        "together": together,
        **count,
    }
    say(options, [*(wrapped(together, 4) if together else []), summary], report)
    return COUNTEREXAMPLE if count["wrong"] else COULD_NOT_RUN if count["bad"] else HOLDS


def settings_given(options: argparse.Namespace) -> dict[str, Any]:
    """Of the settings for logits those that were written."""
    values = {name: getattr(options, name) for name in ("temperature", "top_k", "top_p")}
    return {name: value for name, value in values.items() if value is not None}


def option(given: dict[str, Any]) -> str:
    """
    >>> option({"top_k": 50})
    '--top-k'
    """
    return f"--{next(iter(given)).replace('_', '-')}"


def check_one(options: argparse.Namespace) -> int:
    """Every line of the derivation, with both sides evaluated on one pair."""
    from exact.reading import read_laws
    from proof.front import walk

    p, q = read_laws(numbers(options.p), numbers(options.q))
    rejected = prove_that_it_rejects(options, walk.self_check)
    walked = walk.walk_through(p, q)
    say(options, walked.lines(), {"rejects": rejected, **walked.as_json()})
    return HOLDS if walked.holds else COUNTEREXAMPLE


def numbers(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def check_function(options: argparse.Namespace, meter: Meter) -> int:
    from proof.front.report import judge_function

    pair = None if options.p is None else (numbers(options.p), numbers(options.q))
    report = judge_function(options.target, timeout=options.timeout, strict=options.strict, pair=pair, progress=meter)
    meter.end()
    if report.exit_code == COULD_NOT_RUN and not options.json:
        raise LawError(report.text().removeprefix("could not run: "))
    say(options, [report.text()], report.as_json())
    return report.exit_code


# ---- samelaw audit


def run_audit(options: argparse.Namespace, meter: Meter) -> int:
    from proof.front import audit

    require_both(options)
    code, lines, report = audit.run(options, meter)
    meter.end()
    say(options, lines, report)
    return code


# ---- samelaw step


def run_step(options: argparse.Namespace, _meter: Meter) -> int:
    from proof.front import step

    require_both(options)
    code, lines, report = step.run(options)
    say(options, lines, report)
    return code


# ---- samelaw drill


def run_drill(options: argparse.Namespace, meter: Meter) -> int:
    from proof.front import drill

    code, lines, report = drill.run(options, meter)
    meter.end()
    say(options, lines, report)
    return code


# ---- samelaw prove


def run_prove(options: argparse.Namespace, meter: Meter) -> int:
    from proof.evidence import gather
    from proof.front.paper_files import figures_beside, read_paper, require_room, write_paper
    from proof.kernel import Rejected
    from proof.paper import paper

    old = None if options.check is None else read_paper(options.check)
    if old is None:
        require_room(options.output)
    try:
        evidence = gather(meter)
    except Rejected as rejected:
        meter.end()
        print(f"not proved: {rejected}", file=sys.stderr)
        return COUNTEREXAMPLE
    meter.end()
    report = evidence_json(evidence)
    if evidence.problems:  # before the lines below, which say that there are none
        print(*(f"not proved: {problem}" for problem in evidence.problems), sep="\n", file=sys.stderr)
        say(options, [], report)
        return COUNTEREXAMPLE
    say(options, evidence_lines(evidence))
    text = paper(evidence)
    if old is not None:
        return compare(options, old, {options.check: text, **figures_beside(options.check)}, report)
    figures = write_paper(options.output, text)
    lines = [f"wrote {', '.join(figures)}"] if figures else []
    lines.append(f"wrote {options.output}: {len(text.splitlines()):,} lines")
    say(options, lines, report | {"wrote": options.output, "figures": figures})
    return HOLDS


def evidence_lines(evidence: Any) -> list[str]:
    from proof.symbolic import FixedV

    proved = [f for f in evidence.fixed if isinstance(f, FixedV)]
    full, up_to_order = ([f for f in proved if f.up_to_order is order] for order in (False, True))
    return [
        f"kernel      {len(evidence.facts)} lines accepted, for every vocabulary",
        f"values      every line holds with == on {evidence.evaluated} pairs of laws, those on any sums also on "
        f"{evidence.given} pairs of vectors",
        f"mutants     {len(evidence.mutants)} made: {len(evidence.refuted)} refuted by an exact pair, all rejected; "
        f"{len(evidence.unrefuted)} rejected though nowhere false; {len(evidence.survivors)} accepted, true everywhere",
        f"forgeries   {sum(at == f.label for f, at in evidence.forged)} of {len(evidence.forged)} rejected",
        f"fixed V     dist == p on every pattern of V = {', '.join(str(f.V) for f in full)}: "
        f"{sum(f.proved for f in full):,}{''.join(f'; of V = {f.V}, up to order: {f.proved:,}' for f in up_to_order)}",
    ]


def evidence_json(evidence: Any) -> dict[str, Any]:
    return {
        "steps": len(evidence.facts),
        "pairs": evidence.evaluated,
        "vector_pairs": evidence.given,
        "mutants": len(evidence.mutants),
        "refuted": len(evidence.refuted),
        "rejected_but_not_refuted": len(evidence.unrefuted),
        "accepted_and_true": len(evidence.survivors),
        "forgeries": len(evidence.forged),
        "forgeries_rejected": sum(at == f.label for f, at in evidence.forged),
        "fixed": [vars(f) for f in evidence.fixed],
        "problems": list(evidence.problems),
    }


def compare(
    options: argparse.Namespace, old: dict[str, str | None], new: dict[str, str], report: dict[str, Any]
) -> int:
    from proof.front.paper_files import differences

    found = differences(old, new)
    same = [f"{path} is what this run gives" for path in new if old[path] == new[path]]
    say(options, [*found, *same], report | {"difference": found})
    return COUNTEREXAMPLE if found else HOLDS


# ---- saying it


def say(options: argparse.Namespace, lines: Iterable[str], as_json: dict[str, Any] | None = None) -> None:
    """Lines for people as they come; with --json the one object at the end and nothing else."""
    if options.json:
        if as_json is not None:
            print(json.dumps(as_json, indent=1, default=plain_value))
        return
    for line in lines:
        print(line, flush=True)


def plain_value(value: Any) -> Any:
    return show(value) if hasattr(value, "numerator") else str(value)
