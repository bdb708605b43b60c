"""`samelaw audit FILE.py:name`: the exact law of somebody's verifier, from its own code.

The function is imported into this process, as it is run with our random source.  What it prints goes to stderr.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

from exact.branching import Raised
from exact.reading import LawError, show
from exact.rules import SELF_CHECK_RULE
from exact.text import wrapped
from numeric.audit.pair import DTYPES, Audit, audit
from numeric.audit.report import claim_that_fails, first_rule, prefix_text, report, single
from numeric.audit.search import TOKENS, Search, audit_search, self_check
from numeric.audit.sequence import Prefix, audit_sequence, prefixes, require_few, require_steps
from proof.front import COUNTEREXAMPLE, HOLDS
from proof.front.candidate import Target, cleaned, read_target
from proof.front.refusal import or_refused
from proof.progress import Progress

LIMITS = ("max_paths", "seconds")


def run(options: argparse.Namespace, progress: Progress) -> tuple[int, list[str], dict[str, Any]]:
    """Exit code, lines, and the same for a program; LawError where it cannot be run or followed.

    With --json that is an object as well, and the exit code 2.
    """
    return or_refused(options, lambda: run_audit(options, progress), target=options.target)


def run_audit(options: argparse.Namespace, progress: Progress) -> tuple[int, list[str], dict[str, Any]]:
    target = read_target(options.target)
    require_together(options)
    rejected = self_check()
    with redirect_stdout(sys.stderr):
        emit = load(target, options.target)
        draft = load(*draft_target(options.draft, target)) if options.draft else None
        common = {
            "arrays": options.arrays, "protocol": options.protocol, "uniform": options.uniform,
            **{name: getattr(options, name) for name in LIMITS if getattr(options, name) is not None},
        }  # fmt: skip
        if options.p is not None:
            return on_one_pair(options, one_pair(options, emit, draft, common), rejected)
        found = audit_search(
            emit, **common, draft=draft, steps=options.steps, tokens=options.tokens or TOKENS,
            denominator=options.denominator, seed=options.seed or 0, progress=progress,
        )  # fmt: skip
    return on_many(options, found, rejected)


def require_together(options: argparse.Namespace) -> None:
    """What would be left aside is refused."""
    of_search = [name for name in ("tokens", "denominator", "seed") if getattr(options, name) is not None]
    if options.p is not None and of_search:
        raise LawError(f"--{of_search[0]} and --p: of one pair there is no search; leave one of them out")
    if options.steps is not None and options.draft is not None:
        raise LawError("--draft and --steps: of a sequence the verifier draws its drafts itself; leave one of them out")


def one_pair(options: argparse.Namespace, emit: Any, draft: Any, common: dict[str, Any]) -> Audit:
    if options.steps is None:
        return audit(emit, options.p.split(","), options.q.split(","), draft=draft, **common)
    p, q = (laws_of(name, getattr(options, name), options.steps) for name in "pq")
    return audit_sequence(emit, p, q, options.steps, **common)


def laws_of(name: str, text: str, steps: int) -> Callable[[Prefix], list[str]]:
    """A law after every prefix, of one that is for all, or of one for each, shortest first."""
    laws = [part.split(",") for part in text.split(";")]
    require_steps(steps)
    require_few(len(laws[0]), steps)
    after = [*prefixes(len(laws[0]), steps)]
    if len(laws) not in (1, len(after)):
        raise LawError(
            f"--{name} has {len(laws)} laws: with --steps {steps} and {len(laws[0])} tokens it is one, for all "
            f"prefixes, or {len(after)}, one for each of them, shortest first; give one of these"
        )
    table = dict(zip(after, laws, strict=True)) if len(laws) > 1 else {}
    return lambda prefix: table.get(prefix, laws[0])


def load(target: Target, text: str) -> Callable[..., object]:
    from proof.front import child

    place, home = child.located(target.kind, target.place)
    try:
        return child.load(target.kind, place, target.name, home)
    except (Exception, SystemExit) as error:
        said = cleaned(child.why_not_loaded(error, home))
        raise LawError(f"target={text}: {said}; mend it, or install what it needs") from None


def draft_target(text: str, verifier: Target) -> tuple[Target, str]:
    full = text if ":" in text else f"{verifier.place}:{text}"
    return read_target(full), full


# ---- what is said


def on_many(options: argparse.Namespace, found: Search, rejected: Audit) -> tuple[int, list[str], dict[str, Any]]:
    replay = replay_text(options, found.witness) if found.witness else ""
    lines = [*head(options, rejected), *report(found, about_rule(found), replay)]
    code = HOLDS if found.holds else COUNTEREXAMPLE
    return code, lines, {**opening(options, code, rejected), **search_json(found), "replay": replay or None}


def on_one_pair(options: argparse.Namespace, found: Audit, rejected: Audit) -> tuple[int, list[str], dict[str, Any]]:
    overstated = options.draft is not None and found.beyond > 0
    code = HOLDS if found.lossless and not overstated else COUNTEREXAMPLE
    return (
        code,
        [*head(options, rejected), *single(found, overstated)],
        {**opening(options, code, rejected), **audit_json(found)},
    )


def head(options: argparse.Namespace, rejected: Audit) -> list[str]:
    claim, reason = claim_that_fails(rejected)
    p, q = (", ".join(map(show, law)) for law in (rejected.p, rejected.q))
    text = f"self-check: this audit rejects {SELF_CHECK_RULE} at p = {p} and q = {q} ({claim}: {reason})."
    return [f"samelaw audit {options.target}", *wrapped(text), ""]


def about_rule(found: Search) -> list[str]:
    """The step of the derivation that the rule breaks."""
    from proof.front.broken import broken_step_texts

    rule, worst = first_rule(found), found.smallest
    if worst is None or rule is None or not rule.breaks:
        return []
    texts = broken_step_texts(rule.breaks, worst.p, worst.q)
    return [line for text in texts for line in wrapped(text, 4 if text.startswith(" ") else 2)]


def replay_text(options: argparse.Namespace, found: Audit) -> str:
    """The command that audits this pair alone."""
    words = ["samelaw", "audit", options.target, "--p", laws_text(found.p), "--q", laws_text(found.q)]
    usual = {"draft": None, "protocol": "rng", "uniform": "ideal", "steps": None, **dict.fromkeys(LIMITS)}
    for name, value in usual.items():
        given = getattr(options, name)
        words += [f"--{name.replace('_', '-')}", str(given)] if given != value else []
    return shlex.join([*words, *(["--arrays", found.arrays] if found.arrays in DTYPES else [])])


def laws_text(laws: Any) -> str:
    """As `laws_of` reads it."""
    each = [laws] if not isinstance(laws, dict) else list(dict.fromkeys(laws.values()))
    each = list(laws.values()) if len(each) > 1 else each
    return ";".join(",".join(map(str, law)) for law in each)


# ---- the same for a program


def opening(options: argparse.Namespace, code: int, rejected: Audit) -> dict[str, Any]:
    return {
        "target": options.target,
        "exit_code": code,
        "self_check": {"rule": SELF_CHECK_RULE, "p": list(map(show, rejected.p)), "q": list(map(show, rejected.q))},
    }


def search_json(found: Search) -> dict[str, Any]:
    return {
        "lossless": found.lossless,
        "holds": found.holds,
        "stopped": found.stopped or None,
        "changes_arguments": sorted(found.program.changed),
        "maximal": None if not found.reports_acceptance or found.steps else found.not_maximal is None,
        "uniform": str(found.uniform),
        "steps": found.steps,
        "pairs": len(found.tried),
        "failures": found.failures,
        "counterexample": found.smallest and audit_json(found.smallest),
        "overstated": found.overstated and audit_json(found.overstated),
        "not_maximal": found.not_maximal and audit_json(found.not_maximal),
        "rules": [rule.name for rule in found.rules],
        "draft": found.draft and {name: exact_json(value) for name, value in found.draft._asdict().items()},
        "not_audited": found.dropped,
        "coverage": [group._asdict() for group in found.coverage],
        "seed": found.seed,
        "most_paths": found.most_paths,
    }


def audit_json(found: Audit) -> dict[str, Any]:
    """Numbers of a law are strings; a law for every prefix is an object."""
    return {
        "p": exact_json(found.p),
        "q": exact_json(found.q),
        "arrays": found.arrays,
        "uniform": str(found.uniform),
        "outcomes": [key_of(x) for x in found.outcomes],
        "target": exact_json(found.target),
        "emitted": exact_json(found.dist),
        "no_token": {key_of(x): str(pr) for x, pr in found.others.items()},
        "claim": None if found.lossless else claim_that_fails(found)[0],
        "on_grid_only": {key_of(x): str(pr) for x, pr in found.on_grid_only.items()},
        "stuck": str(found.stuck),
        "alpha": exact_json(found.alpha),
        "most_alpha": exact_json(found.most),
        "tv": str(found.tv),
        "defect": str(found.defect),
        "rounding": str(found.rounding),
        "ball": str(found.ball),
        "lossless": found.lossless,
        "maximal": found.maximal,
        "length": exact_json(found.got.length),
        "usual_length": exact_json(found.usual_length),
        "paths": found.got.paths,
    }


def exact_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key_of(x): exact_json(law) for x, law in value.items()}
    if isinstance(value, tuple):
        return [str(x) for x in value]
    return None if value is None else str(value)


def key_of(x: Any) -> str:
    """Tokens with spaces between; of anything else its text."""
    return prefix_text(x) if isinstance(x, tuple) and not isinstance(x, Raised) else str(x)
