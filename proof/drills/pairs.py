"""The pairs that an answer is tried on, smallest first, and on which kind of numbers.

On floats an answer is compared with == as well, so a float pair has to be one on which no reasonable route rounds.
For pairs such as `is_exact_in_floats` lets through, with 2^K as common denominator, K <= 16, the usual routes do not:

    p, q, min(p,q), (p-q)^+, (q-p)^+, |p-q| and all sums and differences of these are multiples of 2^-K and at most 2 V.
    Where p < q the quotient p/q is one as well: it is dyadic, and its denominator divides the numerator of q, at most
    2^K.  The mass Z of the residual is a power of two, so that r/Z is r with another exponent.  Products of three of
    these are multiples of 2^-3K: no more than 48 bits after the point, of 53.  Where p >= q > 0 the quotient p/q may
    round, but not to below 1, and min(1, .) makes it 1.

So every + - * / of these has a result that is a float, and a correctly rounded operation returns it.  A route that
divides by something else, or takes logarithms, may round; `grading.is_rounding` leaves such an answer undecided.
On all other pairs p and q are Fractions, in arrays of objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import islice, pairwise, product
from random import Random
from typing import NamedTuple

from exact.reading import Numbers
from exact.rejection import residual
from exact.search import all_pairs

SMALL = (3, 4)  # every pair with so many tokens and that common denominator at most
LARGER, MOST_TOKENS, LARGER_DENOMINATOR = 40, 8, 64
FINER, PARTS, NEAR = 8, (Fraction(1, 2), Fraction(511, 1024), Fraction(1, 1024)), 1024
SMALL_GROUP = f"every pair with V <= {SMALL[0]} and common denominator <= {SMALL[1]}"
FINER_GROUP = f"V <= {len(PARTS) * MOST_TOKENS // 2}, denominator 65,536, made of some of these"
LARGER_GROUP = f"V <= {MOST_TOKENS}, denominator {LARGER_DENOMINATOR}, seeded"
CLOSE = (20, 40, 100)  # p and q differ by 2^-k
CLOSE_GROUP = "p is 1/2, 1/2 but for 2^-20, 2^-40 and 2^-100, and q is 1/2, 1/2"
UNLIKE = {2: 4, 3: 2}  # V: common denominator of the entries
UNLIKE_GROUP = "p does not sum to 1: V = 2, entries 0, 1/4, ..., 1, and V = 3, entries 0, 1/2, 1"


class Case(NamedTuple):
    """A target and a draft, [V] Fractions each; law: does p sum to 1?  floats: is the answer asked for on floats?"""

    p: Numbers
    q: Numbers
    group: str = SMALL_GROUP
    floats: bool = True
    law: bool = True


def is_dyadic(x: Fraction) -> bool:
    return x.denominator & (x.denominator - 1) == 0


def is_power_of_two(x: Fraction) -> bool:
    return is_dyadic(x) and x > 0 and x.numerator & (x.numerator - 1) == 0


def is_exact_in_floats(p: Numbers, q: Numbers) -> bool:
    """See the head of this module.

    >>> half, quarter = Fraction(1, 2), Fraction(1, 4)
    >>> is_exact_in_floats(Numbers([half, half]), Numbers([1 - quarter, quarter]))  # p/q is 2/3
    False
    >>> is_exact_in_floats(Numbers([quarter, 1 - quarter]), Numbers([half, half]))
    True
    """
    Z = Fraction(sum(residual(p, q)))
    ratios = (Fraction(a, b) for a, b in zip(p, q, strict=True) if a < b)
    return all(map(is_dyadic, (*p, *q, *ratios))) and (not Z or is_power_of_two(Z))


@cache
def laws() -> tuple[Case, ...]:
    """Pairs of laws, smallest first, then larger ones."""
    small = (Case(p, q, floats=is_exact_in_floats(p, q)) for p, q in all_pairs(*SMALL))
    return (*small, *larger(), *finer(), *nearly_equal())


def larger() -> Iterator[Case]:
    """Seeded pairs of laws that are exact in floats: every entry of q is a power of two, and then Z is to be one."""
    random, found = Random(0), 0
    while found < LARGER:
        q = halved(random.randint(2, MOST_TOKENS), random)
        p = cut(len(q), random)
        if p != q and is_exact_in_floats(p, q):
            found += 1
            yield Case(p, q, LARGER_GROUP)


def finer() -> Iterator[Case]:
    """Some of the larger ones with every token cut in three, and with p moved close to q: K is 16."""
    for p, q, *_ in islice((case for case in larger() if len(case.p) <= MOST_TOKENS // 2), FINER):
        thirds = [Numbers(x * part for x in law for part in PARTS) for law in (p, q)]
        yield Case(thirds[0], thirds[1], FINER_GROUP)
        yield Case(Numbers(y + (x - y) / NEAR for x, y in zip(p, q, strict=True)), q, FINER_GROUP)


def nearly_equal() -> Iterator[Case]:
    """A residual that is there, though small: with one token in it rho is 0 or 1, and nothing rounds in floats."""
    half = Numbers([Fraction(1, 2)] * 2)
    for k in CLOSE:
        yield Case(
            Numbers([half[0] + Fraction(1, 2**k), half[1] - Fraction(1, 2**k)]), half, CLOSE_GROUP, floats=k < 50
        )


def halved(V: int, random: Random) -> Numbers:
    """A law of V powers of two, from 1/64 on, made by halving one of them after the other."""
    law = [Fraction(1)]
    while len(law) < V:
        x = random.choice([x for x, mass in enumerate(law) if mass * LARGER_DENOMINATOR > 1])
        law[x] /= 2
        law.append(law[x])
    return Numbers(random.sample(law, V))


def cut(V: int, random: Random) -> Numbers:
    """A law over the same denominator, of the pieces between V - 1 cuts."""
    cuts = sorted(random.randrange(LARGER_DENOMINATOR + 1) for _ in range(V - 1))
    return Numbers(Fraction(b - a, LARGER_DENOMINATOR) for a, b in pairwise([0, *cuts, LARGER_DENOMINATOR]))


@cache
def unlike() -> tuple[Case, ...]:
    """Pairs where p does not sum to 1 and q does, with a residual, and a rejection: there the program emits no p."""
    pairs = (pair for V, d in UNLIKE.items() for pair in unlike_pairs(V, d))
    return tuple(
        Case(p, q, UNLIKE_GROUP, law=False)
        for p, q in pairs
        if any(residual(p, q)) and any(residual(q, p)) and is_exact_in_floats(p, q)
    )


def unlike_pairs(V: int, d: int) -> Iterator[tuple[Numbers, Numbers]]:
    vectors = [Numbers(Fraction(k, d) for k in v) for v in product(range(d + 1), repeat=V)]
    return product((v for v in vectors if sum(v) not in (0, 1)), (v for v in vectors if sum(v) == 1))
