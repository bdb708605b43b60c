"""Is somebody's verifier lossless?  The exact law of what it emits, from its own code.

audit            one pair
audit_sequence   one pair of functions of the prefix, of a verifier that emits several tokens
audit_search     every small pair, and larger ones: the smallest counterexample
assert_lossless  the same for a test
"""

from collections.abc import Callable
from typing import Any

from numeric.audit.pair import Audit, audit
from numeric.audit.report import report
from numeric.audit.search import Search, audit_search, self_check
from numeric.audit.sequence import audit_sequence

__all__ = ["Audit", "Search", "assert_lossless", "audit", "audit_search", "audit_sequence"]


def assert_lossless(emit: Callable[..., object], **options: Any) -> None:
    """Nothing, where the verifier is lossless on every pair tried; AssertionError with the report where it is not.

    Options and errors are those of `audit_search`.

    >>> assert_lossless(lambda p, q, rng: rng.choice(len(q), p=q), denominator=2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: NOT LOSSLESS: dist: TV from the target is 1; token 0: wanted 0, got 1
    p = 0, 1
    q = 1, 0
    ...
    """
    self_check()
    found = audit_search(emit, **options)
    if not found.holds:
        raise AssertionError("\n".join(report(found)))
