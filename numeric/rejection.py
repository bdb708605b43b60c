"""Speculative sampling at one position in floating point: the law of the emitted token, and a sampler.

The formula is that of `exact/rejection.py` (Leviathan et al. 2023; Chen et al. 2023).  With m = min(p,q), r = (p-q)^+
and the sums A of m, R of r, Q of (q-p)^+, S_q of q:

    dist = (m + r (Q/R)) / S_q        alpha = A / S_q

and p/S_p where R = 0.  Q is a sum of its own and never 1 - alpha: that difference cancels, and a residual token of
probability 2^-66 then comes out wrong in its first digit.  Sums, products and quotients of non-negative numbers keep
every token right to a few units in its last place; `numeric/rounding.py` says how few, and proves it.

Three ways to evaluate it differ in the sums alone: "exact" adds exactly and rounds each sum once, "scalars" rounds
but two quotients of exact sums, "pairwise" adds in floats, as numpy does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exact.dyadic import SCALE, SHIFT, FloatLaw, float_law
from exact.reading import LawError, brief, read_law
from numeric.rounding import (
    PIECE,
    PRECISIONS,
    Floats,
    float_power_up,
    in_tree,
    pieces,
    power_up,
    read_sums,
    roundings,
    row_sum,
)

ADVICE = {
    "b": "write 1 and 0",
    "c": "take the real part",
    "f": "convert with .astype('float64')",
    "O": "use exact.emitted_distribution for Fractions, Decimals and strings",
    "U": "use exact.emitted_distribution for Fractions, Decimals and strings",
}

# A float64 sum this near to 1 proves that the exact sum is within sqrt(eps).  In any order, the sum of V <= 2^24
# numbers is off by less than ((1+u)^V - 1) 1.01 < 2^-28; and 2^-27 + 2^-28 < 2^-26, 2^-13 + 2^-28 < 2^-11.5.
PLAINLY = {"bfloat16": 2.0**-5, "float16": 2.0**-6, "float32": 2.0**-13, "float64": 2.0**-27}
MOST_PLAIN = 2**24


def emitted_distribution(p: object, q: object, sums: str = "exact") -> tuple[Floats, Any]:
    """The law of the emitted token, and the probability that the drafted token is accepted.

    p, q: target and draft, [V] or [..., V] probabilities along the last axis, in any float dtype up to float64,
    bfloat16 included (lists of numbers and integer arrays count as float64), of one shape; a sum may be off by
    sqrt(eps) of its dtype.  sums: "exact", "scalars" or "pairwise" (the fastest).  LawError otherwise.
    Returns dist, shaped as p, in the wider of the two dtypes, and alpha: a float for [V], else an array [...].
    `numeric.rounding.bound` says how near each of them is to the exact law.

    >>> dist, alpha = emitted_distribution([0.5, 0.25, 0.25], [0.25, 0.25, 0.5])
    >>> dist.tolist(), alpha
    ([0.5, 0.25, 0.25], 0.75)
    >>> dist, alpha = emitted_distribution([[1, 0], [0.5, 0.5]], [[0, 1], [0.5, 0.5]])
    >>> dist.tolist(), alpha.tolist()
    ([[1.0, 0.0], [0.5, 0.5]], [0.0, 1.0])
    >>> emitted_distribution([1.125, -0.125], [1, 0])
    Traceback (most recent call last):
    exact.reading.LawError: p[1]=-0.125: a probability is not negative, this is 0.125 below 0; mend it
    """
    return rejection_law(*read_laws(p, q), sums)


@np.errstate(under="ignore")  # gradual underflow is accounted for by the theorem, whatever the caller's settings
def rejection_law(p: Any, q: Any, sums: str = "exact") -> tuple[Floats, Any]:
    """`emitted_distribution` of any arrays of one shape, finite and non-negative, with positive sums.

    The sums must stay below a quarter of the largest float; the rounding bound is proved for sums within 1/4 of 1.

    >>> dist, alpha = rejection_law([0.75, 0.25, 0.125], [0.5, 0.375, 0.125])
    >>> dist.tolist(), alpha
    ([0.625, 0.25, 0.125], 0.875)
    """
    p, q = in_one_dtype(p, q)
    wide, *narrower = roundings(p.dtype, read_sums(sums))
    V = p.shape[-1]
    dist, alpha = np.empty((p.size // V, V), wide), np.empty((p.size // V, 1), wide)
    EVALUATE[sums](p.reshape(dist.shape), q.reshape(dist.shape), dist, alpha)
    for dtype in narrower:
        dist, alpha = dist.astype(dtype), alpha.astype(dtype)
    return dist.reshape(p.shape), float(alpha[0, 0]) if p.ndim == 1 else alpha.reshape(p.shape[:-1])


def in_one_dtype(p: Any, q: Any) -> tuple[Floats, Floats]:
    """p and q aligned and in C order, so that the summation tree depends on V alone."""
    p, q = np.asarray(p), np.asarray(q)
    try:
        dtype = np.result_type(p, q)
    except TypeError:  # float16 and bfloat16 have no common dtype
        raise LawError(f"p has dtype {p.dtype} but q has {q.dtype}: no dtype holds both; convert one of them") from None
    dtype = dtype if dtype.name in PRECISIONS else np.result_type(dtype, np.float32)
    return np.require(p, dtype, ["C", "A"]), np.require(q, dtype, ["C", "A"])


# ---- the three evaluations, of rows [N, V], into dist [N, V] and alpha [N, 1]


def pairwise(p: Floats, q: Floats, dist: Floats, alpha: Floats) -> None:
    """Float sums, by numpy's tree: some short rows at a time, or one long row, with spare ones for m and (q-p)^+."""
    V = p.shape[-1]
    rows = max(PIECE // V, 1)
    m, e = np.empty((rows, V), dist.dtype), np.empty((rows, min(V, PIECE)), dist.dtype)
    for start in range(0, len(p), rows):
        tile = slice(start, start + rows)
        pairwise_tile(p[tile], q[tile], dist[tile], alpha[tile], m[: len(p[tile])], e[: len(p[tile])])


def pairwise_tile(p: Floats, q: Floats, dist: Floats, alpha: Floats, m: Floats, e: Floats) -> None:
    """r is put into dist, and becomes dist in place, by pieces that stay in the cache."""
    V, T = p.shape[-1], dist.dtype.type
    A, S_q, R, Q = in_tree(lambda x: piece_sums(p[:, x], q[:, x], dist[:, x], m[:, x], e[:, : x.stop - x.start]), 0, V)
    up = float_power_up(R)
    if (up > 1).any():
        dist *= up
    t = Q / (R * up + (R == 0))
    for piece in pieces(0, V):
        part = dist[:, piece]
        part *= t
        part += m[:, piece]
        part /= S_q
    np.divide(A, S_q, out=alpha)
    for i in np.flatnonzero(R == 0):
        p_i = p[i].astype(T, copy=False)
        np.divide(p_i, row_sum(p_i), out=dist[i])


def piece_sums(p: Floats, q: Floats, r: Floats, m: Floats, e: Floats) -> Floats:
    """The sums of m, q, r and (q-p)^+, [4, n, 1]; q - p is exactly -(p - q) in floats."""
    p, q = p.astype(r.dtype, copy=False), q.astype(r.dtype, copy=False)
    A, S_q = row_sum(np.minimum(p, q, out=m)), row_sum(q)
    np.subtract(p, q, out=r)
    Q = -row_sum(np.minimum(r, 0, out=e))
    return np.stack([A, S_q, row_sum(np.maximum(r, 0, out=r)), Q])


def exact_sums(p: Floats, q: Floats, dist: Floats, alpha: Floats) -> None:
    """The same formula with sums that are exact and then rounded once."""
    for i, (p_i, q_i, law, up) in enumerate(rows_with_law(p, q, dist)):
        if law.R:
            dist[i] *= rounded(law.Q) / rounded(law.R * up)
            dist[i] += np.minimum(p_i, q_i)
            dist[i] /= rounded(law.S_q)
        else:
            np.divide(p_i, rounded(law.S_p), out=dist[i])
        alpha[i] = law.A / law.S_q  # int / int is rounded once


def exact_scalars(p: Floats, q: Floats, dist: Floats, alpha: Floats) -> None:
    """m s + r c with two quotients of exact sums, each rounded once."""
    for i, (p_i, q_i, law, up) in enumerate(rows_with_law(p, q, dist)):
        if law.R:
            dist[i] *= (law.Q << SHIFT) / (law.R * up * law.S_q)
            dist[i] += np.minimum(p_i, q_i) * (SCALE / law.S_q)
        else:
            np.multiply(p_i, SCALE / law.S_p, out=dist[i])
        alpha[i] = law.A / law.S_q


def rows_with_law(p: Floats, q: Floats, dist: Floats) -> Iterator[tuple[Floats, Floats, FloatLaw, int]]:
    """Per row p and q in the dtype of dist, their law, and the power of two in r = (p-q)^+, which is put into dist."""
    for p_i, q_i, r in zip(p, q, dist, strict=True):
        p_i, q_i = p_i.astype(dist.dtype, copy=False), q_i.astype(dist.dtype, copy=False)
        law = float_law(p_i, q_i)
        up = power_up(law.R)
        np.maximum(np.subtract(p_i, q_i, out=r), 0, out=r)
        if up > 1:
            r *= float(up)
        yield p_i, q_i, law, up


def rounded(n: int) -> float:
    """An int over SCALE as a float64, rounded once."""
    return n / SCALE


EVALUATE: dict[str, Callable[[Floats, Floats, Floats, Floats], None]] = {
    "exact": exact_sums,
    "scalars": exact_scalars,
    "pairwise": pairwise,
}


# ---- reading


def read_laws(p: object, q: object) -> tuple[Floats, Floats]:
    """Target and draft as float arrays of one shape whose every row is a law; LawError otherwise."""
    a, b = read_floats(p, "p"), read_floats(q, "q")
    require_one_shape(a, b)
    require_laws(a, "p")
    require_laws(b, "q")
    return a, b


def read_floats(values: object, name: str) -> Floats:
    """A copy in its float dtype, [V] or [..., V], finite and non-negative; LawError otherwise."""
    array = _as_array(values, name)
    if array.ndim == 0:
        raise LawError(f"{name}={brief(values)}: a law has the shape [V] or [..., V]; give a list or an array")
    if array.shape[-1] == 0:
        raise LawError(f"{name} has shape {array.shape}: a law has at least one token, this one is empty; give it one")
    if array.dtype.kind not in "iu" and array.dtype.name not in PLAINLY:
        advice = ADVICE.get(array.dtype.kind, "convert it to one of these")
        raise LawError(
            f"{name} has dtype {array.dtype}: a law here is float16, bfloat16, float32, float64 or integer; {advice}"
        )
    floats = np.array(array, "float64" if array.dtype.kind in "iu" else array.dtype.name, order="C")
    _require_probabilities(floats, name)
    return floats


def _as_array(values: object, name: str) -> NDArray[Any]:
    if np.ma.is_masked(values):
        raise LawError(f"{name}={brief(values)}: a masked entry has no probability; fill it in")
    try:
        array = np.asarray(values)
        hidden = () if hasattr(values, "dtype") else np.asarray(values, object).flat
    except Exception as error:  # somebody else's __array__ may raise what it likes
        raise LawError(f"{name}={brief(values)}: this is no array of numbers ({brief(error)}); mend it") from None
    if any(isinstance(x, bool | np.bool_) for x in hidden):  # numpy would count True among floats as 1.0
        raise LawError(f"{name}={brief(values)}: a truth value is no number; {ADVICE['b']}")
    return array


def _require_probabilities(x: Floats, name: str) -> None:
    wrong = ~(np.isfinite(x) & (x >= 0))
    if not wrong.any():
        return
    index = tuple(np.argwhere(wrong)[0].tolist())
    at, value = entry_name(name, index), x[index]
    if not np.isfinite(value):
        raise LawError(f"{at}={value!s}: a number here is finite; replace it")
    raise LawError(f"{at}={value!s}: a probability is not negative, this is {-value!s} below 0; mend it")


def entry_name(name: str, index: tuple[int, ...]) -> str:
    """
    >>> entry_name("p", (3, 2)), entry_name("p", ())
    ('p[3, 2]', 'p')
    """
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def require_one_shape(p: Floats, q: Floats) -> None:
    if p.shape != q.shape:
        raise LawError(f"p has shape {p.shape} but q has {q.shape}: both laws are over the same tokens; give one shape")


def require_one_pair(p: Floats) -> None:
    if p.ndim != 1:
        raise LawError(f"p has shape {p.shape}: this takes one pair, [V]; give one row at a time")


def require_laws(x: Floats, name: str) -> None:
    """Every row sums to 1 within sqrt(eps): plainly so by a float sum, or else by exact arithmetic."""
    with np.errstate(over="ignore"):
        total = np.sum(x, axis=-1, dtype=np.float64)
    plain = (np.abs(total - 1) <= PLAINLY[x.dtype.name]) & (x.shape[-1] <= MOST_PLAIN)
    for row in np.argwhere(~plain):
        index = tuple(row.tolist())
        read_law(x[index], entry_name(name, index))


# ---- sampling


def rejection_sample(
    p: object, q: object, rng: np.random.Generator, size: int | tuple[int, ...] | None = None
) -> tuple[Any, Any, Any]:
    """Draft a token from q, accept it with probability min(1, p/q), else redraw from the residual.

    p, q: one pair of laws, [V], as for `emitted_distribution`.  Returns (draft, accepted, emitted): an int, a bool
    and an int, or arrays of shape `size`.  Takes from rng.random three uniforms in [0, 1) per draw, in the order
    draft, coin, redraw (all three also where the draft is accepted), so n draws at once are n draws one by one.
    LawError where p and q are no such laws, or rng cannot give such uniforms.

    >>> draft, accepted, emitted = rejection_sample([0.5, 0.5], [1, 0], np.random.default_rng(0), size=1000)
    >>> bool((accepted == (emitted == draft)).all())
    True
    >>> rejection_sample([0, 1], [1, 0], np.random.default_rng(0))
    (0, False, 1)
    """
    target, proposal = read_one_pair(*read_laws(p, q))
    u = _uniforms(rng, size)
    draft = inverse_cdf(proposal, u[..., 0])
    with np.errstate(over="ignore", under="ignore"):  # p/q beyond the largest float is accepted by any coin
        accepted = u[..., 1] < target[draft] / proposal[draft]
    residual = np.maximum(target - proposal, 0)
    emitted = np.where(accepted, draft, inverse_cdf(residual if residual.any() else target, u[..., 2]))
    return (int(draft), bool(accepted), int(emitted)) if size is None else (draft, accepted, emitted)


def read_one_pair(p: Floats, q: Floats) -> tuple[Floats, Floats]:
    """One pair [V] in float64, which holds float32 exactly."""
    require_one_pair(p)
    return p.astype(np.float64), q.astype(np.float64)


def _uniforms(rng: Any, size: int | tuple[int, ...] | None) -> Floats:
    try:
        shape = () if size is None else (size,) if isinstance(size, int | np.integer) else tuple(size)
        return rng.random((*shape, 3))  # type: ignore[no-any-return]
    except (AttributeError, TypeError, ValueError):
        raise LawError(
            f"rng={brief(rng)}, size={brief(size)}: draws come from a numpy Generator, in the shape of an int or a "
            "tuple of ints; give numpy.random.default_rng() and such a size"
        ) from None


def inverse_cdf(weights: Floats, u: Floats) -> NDArray[np.intp]:
    """The token where the cumulative sum first exceeds u times the total, u in [0, 1).

    Only tokens of positive weight are searched, so none of weight 0 comes out; and where u times the total rounds up
    to the total, the answer is the last of them, not V.

    >>> inverse_cdf(np.array([0.0, 0.25, 0.75, 0.0]), np.array([0.0, 0.25, 1.0])).tolist()
    [1, 2, 2]
    """
    tokens = np.flatnonzero(weights)
    cumulative = np.cumsum(weights[tokens])
    found = np.searchsorted(cumulative, u * cumulative[-1], side="right")
    token: NDArray[np.intp] = tokens[np.minimum(found, len(tokens) - 1)]
    return token
