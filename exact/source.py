"""A random source that forks: it answers like numpy.random.Generator and like random.Random.

What it gives are the lazy numbers of `exact/lazy.py`; nothing is drawn.  Where a path is run once more, on ordinary
numbers, it gives those.  Weights are read exactly, and are normalised, or refused, where the real functions do so.
A function, or a way to call it, that is not here is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import wraps
from math import comb, prod
from typing import Any, NoReturn

from exact.branching import Path, refuse
from exact.lazy import CELLS, Lazy, Power, Token, Uniform, Variable, name_of
from exact.reading import EPSILON, Number, show
from exact.reals import Real, is_special, number_of
from exact.spans import Points, Span

NEAR_1 = {kind: EPSILON[kind] for kind in ("float16", "float32", "float64")}  # the square of what a sum may be off by
SUPPORTED: list[str] = []


def followed(method: Callable[..., Any]) -> Any:
    """A random function that is followed.  What it does not take is refused, and no outcome of the program."""

    @wraps(method)
    def do(self: Source, *args: Any, **options: Any) -> Any:
        try:
            return method(self, *args, **options)
        except (TypeError, AttributeError, OverflowError) as error:
            refuse(f"rng.{method.__name__}, called like this, is not followed ({error})")

    SUPPORTED.append(method.__name__)
    return do


class Source:
    """`path` is the run that it serves."""

    path: Path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "capsule":  # NumPy asks a bit generator for it
            refuse("rng is made another generator of; use rng itself")
        refuse(f"rng.{name}: this random function is not followed; there are {', '.join(SUPPORTED)}")

    def __deepcopy__(self, *_memo: object) -> NoReturn:
        refuse("rng is copied: a copy gives the same numbers again, which is not followed; hand on rng itself")

    __copy__ = __reduce_ex__ = __deepcopy__

    # ---- what all else is made of

    def _uniform(self, span: Span) -> Any:
        return self.path.draw(Uniform(Variable(span, self.path)))

    def _token(self, weights: Sequence[Number], low: int = 0, kind: type = int) -> Any:
        return self.path.draw(Token(weights, self.path, low, kind))

    def _exponential(self) -> Any:
        return self.path.draw(Power(Fraction(1), self.path.race.enter(), 1, self.path))

    # ---- uniform numbers

    @followed
    def random(self, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """
        >>> from exact.branching import law_of
        >>> law_of(lambda rng: rng.random() < 0.25)
        Law({False: '3/4', True: '1/4'})
        """
        no_out(out)
        single = "float32" in str(dtype)
        return sized(size, lambda: self._uniform(self.path.reading.span(single)), dtype="float32" if single else None)

    @followed
    def uniform(self, low: Any = 0, high: Any = 1, size: Any = None) -> Any:
        def draw(low: Any, high: Any) -> Any:
            if not high >= low:
                refuse(f"rng.uniform({low}, {high}): the lower end comes first")
            return low + (high - low) * self._uniform(self.path.reading.span())

        return sized(size, draw, low, high)

    # ---- whole numbers

    @followed
    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False) -> Any:
        """
        >>> from exact.branching import law_of
        >>> law_of(lambda rng: rng.integers(1, 3))
        Law({1: '1/2', 2: '1/2'})
        """
        if "bool" in str(dtype):
            refuse("rng.integers(dtype=bool): this is not followed; take rng.integers(2)")

        def draw(low: Any, high: Any) -> Any:
            return self._whole(whole(low), whole(high) + bool(endpoint), int64())

        return sized(size, draw, *((0, low) if high is None else (low, high)))

    def _whole(self, low: int, after: int, kind: type) -> Any:
        """One of low, ..., after - 1; of very many the points of a grid."""
        if low >= after:
            raise ValueError(f"low={low}, high={after}: there is no number between")
        if after - low > CELLS:
            return self._uniform(Points(low, after - 1, Fraction(1)))
        return self._token([1] * (after - low), low, kind)

    @followed
    def randrange(self, start: Any, stop: Any = None, step: int = 1) -> Any:
        numbers = range(start) if stop is None else range(start, stop, step)
        if step == 1:
            return self._whole(numbers.start, numbers.stop, int)
        return numbers.start + numbers.step * self._whole(0, len(numbers), int)

    @followed
    def randint(self, a: Any, b: Any) -> Any:
        """Python's, with both ends."""
        return self._whole(whole(a), whole(b) + 1, int)

    @followed
    def getrandbits(self, k: int) -> Any:
        return self._whole(0, 2**k, int)

    @followed
    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """
        >>> from exact.branching import law_of
        >>> law_of(lambda rng: rng.binomial(2, Fraction(1, 3)))
        Law({0: '4/9', 1: '4/9', 2: '1/9'})
        """

        def draw(n: Any, p: Any) -> Any:
            (x,), k = numbers([p]), whole(n)
            if k < 0 or not 0 <= x <= 1:
                raise ValueError(f"n={n}, p={p}: n is not negative, and p is between 0 and 1")
            return self._token([comb(k, i) * x**i * (1 - x) ** (k - i) for i in range(k + 1)], kind=int64())

        return sized(size, draw, n, p)

    # ---- choices

    @followed
    def choice(
        self, a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """NumPy's, which asks that p sum to 1; and Python's, of one of a sequence.

        >>> from exact.branching import law_of
        >>> law_of(lambda rng: rng.choice(3, p=[0.5, 0.25, 0.25]))
        Law({0: '1/2', 1: '1/4', 2: '1/4'})
        """
        if axis or not (shuffle or replace):
            refuse("rng.choice with axis= or shuffle=False: this is not followed; leave it out")
        items = a if len(shape_of_any(a)) else None
        count = whole(a) if items is None else len(items)
        if count <= 0:
            raise ValueError("a is empty: there is nothing to choose from")
        weights = [1] * count if p is None else probabilities(p, count)
        if replace or size is None:
            return sized(size, lambda: picked(items, self._token(weights, kind=int64() if items is None else int)))
        chosen = self._without_replacement(weights, prod(shape_of(size)))
        return as_array([picked(items, i) for i in chosen], shape_of(size))

    def _without_replacement(self, weights: Sequence[Number], k: int) -> list[int]:
        """k different ones, each by the weights of those that are left."""
        rest, chosen = list(weights), list[int]()
        if k > sum(map(bool, rest)):
            raise ValueError(f"{k} are wanted, and fewer have weight, or are there at all")
        for _ in range(k):
            chosen.append(int(self._token(tuple(rest))))
            rest[chosen[-1]] = 0
        return chosen

    @followed
    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> list[Any]:
        """Python's, of weights that are normalised.

        >>> from exact.branching import law_of
        >>> law_of(lambda rng: rng.choices("ab", [3, 1]))
        Law({('a',): '3/4', ('b',): '1/4'})
        """
        if cum_weights is not None:
            steps = numbers(cum_weights)
            weights = [b - a for a, b in zip([Fraction(0), *steps], steps, strict=False)]
        read = [Fraction(1)] * len(population) if weights is None else numbers(weights)
        if len(read) != len(population):
            raise ValueError(f"there are {len(read)} weights and {len(population)} in the population")
        if any(map(is_special, read)) or sum(read) <= 0:
            raise ValueError("the weights have no finite sum above 0")
        if min(read) < 0:
            refuse(f"random.choices with the weight {show(min(read))}: what that does depends on the order of weights")
        return [population[self._token(read)] for _ in range(k)]

    @followed
    def sample(self, population: Any, k: int) -> list[Any]:
        return [population[i] for i in self._without_replacement([1] * len(population), k)]

    @followed
    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        """How often each comes out in n draws; NumPy gives to the last what the others leave.

        >>> from exact.branching import law_of
        >>> law_of(lambda rng: rng.multinomial(1, [0.5, 0.25, 0.125]).argmax())
        Law({0: '1/2', 1: '1/4', 2: '1/4'})
        """
        *most, last = numbers(pvals)
        if any(is_special(x) or not 0 <= x <= 1 for x in (*most, last)):
            raise ValueError("pvals: each is between 0 and 1")
        if sum(most) > 1:
            if sum(most) > 1 + Fraction(1, 10**12):
                raise ValueError("pvals: all but the last have a sum above 1")
            refuse("multinomial where all but the last of pvals have a sum a little above 1: this is not followed")
        weights, shape = [*most, 1 - sum(most)], () if size is None else shape_of(size)
        drawn = [[int(self._token(weights)) for _ in range(whole(n))] for _ in range(prod(shape))]
        counts = [row.count(i) for row in drawn for i in range(len(weights))]
        return as_array(counts, (*shape, len(weights)))

    # ---- orders

    @followed
    def permutation(self, x: Any, axis: int = 0) -> Any:
        if axis:
            refuse(f"rng.permutation(axis={axis}): only the first axis is followed")
        items = x if len(shape_of_any(x)) else range(whole(x))
        order = self._without_replacement([1] * len(items), len(items))
        return x[order] if hasattr(x, "dtype") and len(x.shape) else as_array([items[i] for i in order], None)

    @followed
    def permuted(self, x: Any, *, axis: Any = None) -> Any:
        """Of one axis, where it is `permutation`; of more, all entries change places."""
        import numpy as np

        x = np.asanyarray(x)
        if axis is not None and x.ndim > 1:
            refuse(f"rng.permuted(axis={axis}) of {x.ndim} axes: this is not followed")
        return self.permutation(x.ravel()).reshape(x.shape)

    @followed
    def shuffle(self, x: Any, axis: int = 0) -> None:
        x[:] = self.permutation(x, axis) if hasattr(x, "dtype") else self.sample(x, len(x))

    # ---- exponential numbers

    @followed
    def standard_exponential(self, size: Any = None, dtype: Any = None, method: Any = None, out: Any = None) -> Any:  # noqa: ARG002
        no_out(out)
        return sized(size, self._exponential, dtype=dtype)

    @followed
    def exponential(self, scale: Any = 1, size: Any = None) -> Any:
        """
        >>> from exact.branching import law_of
        >>> law_of(lambda rng: (rng.exponential(size=2) / [1, 2]).argmin())
        Law({1: '2/3', 0: '1/3'})
        """
        return sized(size, lambda scale: not_negative(scale) * self._exponential(), scale)

    @followed
    def expovariate(self, lambd: Any = 1) -> Any:
        return self._exponential() / lambd

    @followed
    def gumbel(self, loc: Any = 0, scale: Any = 1, size: Any = None) -> Any:
        return sized(size, lambda loc, scale: loc - not_negative(scale) * log(self._exponential()), loc, scale)


# ---- sizes and weights


def shape_of(size: Any) -> tuple[int, ...]:
    return tuple(map(int, size)) if hasattr(size, "__len__") else (int(size),)


def shape_of_any(x: Any) -> tuple[int, ...]:
    """The shape of an array, of a sequence its length; () of a number."""
    return x.shape if hasattr(x, "shape") else (len(x),) if hasattr(x, "__len__") else ()


def sized(size: Any, draw: Callable[..., Any], *parameters: Any, dtype: Any = None) -> Any:
    """One, or an array of that shape, of independent draws; the parameters are spread over it as NumPy does that."""
    if size is None and not any(map(shape_of_any, parameters)):
        return draw(*parameters)
    import numpy as np

    arrays = [np.asarray(x, object) for x in parameters]
    shape = np.broadcast_shapes(*(x.shape for x in arrays)) if size is None else shape_of(size)
    spread = [np.broadcast_to(x, shape).flat for x in arrays]
    return as_array([draw(*(flat[i] for flat in spread)) for i in range(prod(shape))], shape, dtype)


def as_array(values: list[Any], shape: tuple[int, ...] | None, dtype: Any = None) -> Any:
    """Of lazy and rational numbers an array of ours; of any others what NumPy makes of them."""
    import numpy as np

    from exact.arrays import exact_array

    if any(isinstance(x, Lazy | Real) for x in values):
        array = np.empty(len(values), object)
        array[:] = values
        return exact_array(array if shape is None else array.reshape(shape))
    found = np.array(values, dtype)
    return found if shape is None else found.reshape(*shape, *found.shape[1:])


def no_out(out: Any) -> None:
    if out is not None:
        refuse("out=: an array of floats holds no random number that is not drawn; leave out=, take what is returned")


def int64() -> type:
    """NumPy's whole number, as its random functions give it."""
    import numpy as np

    return np.int64


def log(x: Any) -> Any:
    import numpy as np

    return x.log() if isinstance(x, Lazy | Real) else np.log(x)


def whole(x: Any) -> int:
    """A whole number that the program gives; 2.0 is one as well."""
    if isinstance(x, Lazy) or int(x) != x:
        refuse(f"a random function is given {name_of(x)} where it takes a whole number")
    return int(x)


def not_negative(scale: Any) -> Any:
    if scale < 0:
        raise ValueError(f"scale={scale}: it is not negative")
    return scale


def picked(items: Any, i: Any) -> Any:
    return i if items is None else items[i]


def numbers(values: Any) -> list[Any]:
    """Exactly; ValueError where one is none."""
    read = [number_of(x) for x in values]
    if any(isinstance(x, Lazy) for x in values):
        refuse("a weight is a random number itself: the law of that is irrational, or not known to be rational")
    if None in read:
        raise ValueError(f"{values}: these are no numbers")
    return read


def probabilities(p: Any, count: int) -> list[Any]:
    """As NumPy asks: as many as tokens, none negative or nan, and a sum near 1; then the law is p over its sum."""
    read = numbers(p)
    if len(read) != count:
        raise ValueError(f"p has {len(read)} entries, and there are {count} to choose from")
    if any(is_special(x) or x < 0 for x in read):
        raise ValueError("p has an entry that is negative, infinite or nan")
    near = NEAR_1.get(str(getattr(p, "dtype", "")), NEAR_1["float64"])
    if (sum(read) - 1) ** 2 > near:
        raise ValueError("p does not sum to 1")
    return read
