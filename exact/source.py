"""A random source that forks: it answers like numpy.random.Generator and like random.Random.

What it gives are the lazy numbers of `exact/lazy.py`; nothing is drawn.  Weights are read exactly, and are normalised,
or refused, where the real functions do so.  A function that is not here is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, prod
from typing import Any

from exact.branching import Path, refuse
from exact.lazy import LogOf, Power, Token, Uniform, Variable, is_special, number_of
from exact.reading import Number, show
from exact.spans import Points

NEAR_1 = {"float16": Fraction(1, 2**10), "float32": Fraction(1, 2**23)}  # the square of what a sum may be off by
FEW = 1024  # whole numbers that fork at once; more of them are points of a grid
SUPPORTED = (
    "random, uniform, integers, randint, randrange, choice, choices, sample, shuffle, permutation, multinomial, "
    "binomial, exponential, standard_exponential, expovariate, gumbel"
)


class Source:
    """`path` is the run that it serves."""

    path: Path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse(f"rng.{name}: this random function is not followed; there are {SUPPORTED}")

    def __copy__(self) -> Source:
        return self

    def __deepcopy__(self, _memo: object) -> Source:
        return self

    # ---- uniform numbers

    def random(self, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if out is not None:
            refuse("rng.random(out=...): an array of floats holds no lazy numbers; leave out=, take what is returned")
        single = "float32" in str(dtype)
        return sized(size, lambda: Uniform(Variable(self.path.reading.span(single), self.path)))

    def uniform(self, low: Any = 0, high: Any = 1, size: Any = None) -> Any:
        return sized(size, lambda: low + (high - low) * self.random())

    # ---- whole numbers

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False) -> Any:  # noqa: ARG002
        first, after = (0, low) if high is None else (low, high)
        count = int(after) - int(first) + bool(endpoint)
        if count <= 0:
            raise ValueError(f"low={first}, high={after}: there is no number between")
        if count > FEW:
            return sized(
                size, lambda: Uniform(Variable(Points(int(first), int(first) + count - 1, Fraction(1)), self.path))
            )
        return sized(size, lambda: Token([1] * count, self.path, int(first)))

    def randrange(self, start: Any, stop: Any = None, step: int = 1) -> Any:
        numbers = range(start) if stop is None else range(start, stop, step)
        return self.integers(len(numbers)) * numbers.step + numbers.start

    def randint(self, a: Any, b: Any) -> Any:
        """Python's, with both ends."""
        return self.integers(a, b, endpoint=True)

    def getrandbits(self, k: int) -> Any:
        return self.integers(2**k)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """
        >>> from exact.branching import law_of
        >>> law_of(lambda rng: rng.binomial(2, Fraction(1, 3)))
        Law({0: '4/9', 1: '4/9', 2: '1/9'})
        """
        if getattr(p, "shape", ()):
            return as_array([self.binomial(n, x) for x in p], ...)
        x = number_of(p)
        if x is None or not 0 <= x <= 1:
            raise ValueError(f"p={p}: it is between 0 and 1")
        return sized(size, lambda: Token([comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(n + 1)], self.path))

    # ---- choices

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,  # noqa: ARG002
    ) -> Any:
        """NumPy's, which asks that p sum to 1; and Python's, of one of a sequence.

        >>> from exact.branching import law_of
        >>> law_of(lambda rng: rng.choice(3, p=[0.5, 0.25, 0.25]))
        Law({0: '1/2', 1: '1/4', 2: '1/4'})
        """
        if axis:
            refuse(f"rng.choice(axis={axis}): only the first axis is followed")
        items = a if hasattr(a, "__len__") else None
        count = int(a) if items is None else len(items)
        if not count:
            raise ValueError("a is empty: there is nothing to choose from")
        weights = [1] * count if p is None else probabilities(p, count)
        if replace or size is None:
            return sized(size, lambda: picked(items, Token(weights, self.path)))
        chosen = self.without_replacement(weights, prod(shape_of(size)))
        return as_array([picked(items, i) for i in chosen], size)

    def without_replacement(self, weights: Sequence[Number], k: int) -> list[int]:
        """k different ones, each by the weights of those that are left."""
        rest, chosen = list(weights), list[int]()
        for _ in range(k):
            if not any(rest):
                raise ValueError(f"{k} are wanted, and fewer have weight, or are there at all")
            chosen.append(self.path.fork("choice", rest))
            rest[chosen[-1]] = 0
        return chosen

    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> list[Any]:
        """Python's, of weights that are normalised."""
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
        return [population[Token(read, self.path)] for _ in range(k)]

    def sample(self, population: Any, k: int) -> list[Any]:
        return [population[i] for i in self.without_replacement([1] * len(population), k)]

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
            refuse(
                "multinomial where all but the last of pvals have a sum a little above 1: what it does is not followed"
            )
        weights = [*most, 1 - sum(most)]

        def counts() -> list[int]:
            drawn = [self.path.fork("choice", weights) for _ in range(n)]
            return [drawn.count(i) for i in range(len(weights))]

        if size is None:
            return as_array(counts(), ...)
        return as_array([counts() for _ in range(prod(shape_of(size)))], (*shape_of(size), len(weights)))

    # ---- orders

    def permutation(self, x: Any, axis: int = 0) -> Any:
        if axis:
            refuse(f"rng.permutation(axis={axis}): only the first axis is followed")
        items = x if hasattr(x, "__len__") else range(x)
        order = self.without_replacement([1] * len(items), len(items))
        return x[order] if hasattr(x, "dtype") else as_array([items[i] for i in order], ...)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        x[:] = self.permutation(x, axis) if hasattr(x, "dtype") else self.sample(x, len(x))

    # ---- exponential numbers

    def standard_exponential(self, size: Any = None, dtype: Any = None, method: Any = None, out: Any = None) -> Any:  # noqa: ARG002
        if out is not None:
            refuse("rng.standard_exponential(out=...): an array of floats holds no lazy numbers; leave out=")
        return sized(size, lambda: Power(Fraction(1), self.path.race.enter(), 1, self.path))

    def exponential(self, scale: Any = 1, size: Any = None) -> Any:
        return sized(size, lambda: self.standard_exponential() * scale)

    def expovariate(self, lambd: Any = 1) -> Any:
        return self.standard_exponential() / lambd

    def gumbel(self, loc: Any = 0, scale: Any = 1, size: Any = None) -> Any:
        return sized(size, lambda: LogOf(self.standard_exponential().inverse()) * scale + loc)


# ---- sizes and weights


def shape_of(size: Any) -> tuple[int, ...]:
    return tuple(map(int, size)) if hasattr(size, "__len__") else (int(size),)


def sized(size: Any, draw: Callable[[], Any]) -> Any:
    """One, or an array of that shape."""
    return draw() if size is None else as_array([draw() for _ in range(prod(shape_of(size)))], size)


def as_array(values: list[Any], size: Any) -> Any:
    """Of lazy numbers an array that is lazy; of any others what NumPy makes of them."""
    import numpy as np

    from exact.arrays import lazy_array
    from exact.lazy import Lazy

    if not any(isinstance(x, Lazy) for x in values):
        found = np.array(values)
        return found if size is ... else found.reshape(*shape_of(size), *found.shape[1:])
    array = np.empty(len(values), object)
    array[:] = values
    return lazy_array(array.reshape(shape_of(size)))


def picked(items: Any, i: Any) -> Any:
    return i if items is None else items[i]


def numbers(values: Any) -> list[Any]:
    """Exactly; ValueError where one is none."""
    read = [number_of(x) for x in values]
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
    near = NEAR_1.get(str(getattr(p, "dtype", "")), Fraction(1, 2**52))
    if (sum(read) - 1) ** 2 > near:
        raise ValueError("p does not sum to 1")
    return read
