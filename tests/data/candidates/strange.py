"""Functions that return nonsense, print, exit or stay."""

import os
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np


def right(p, q):
    return p, np.minimum(p, q).sum()


def dist_only(p, q):
    return p


def nothing(p, q):
    print("p")


def three(p, q):
    return p, 1.0, q


def one_longer(p, q):
    return np.append(p, 0), 1.0


def two_dimensions(p, q):
    return p[None], 1.0


def strings(p, q):
    return [str(x) for x in p], "1.0"


def truth(p, q):
    return p > 0, True


def vector_alpha(p, q):
    return p, np.minimum(p, q).sum(keepdims=True)


class Eighth(np.ndarray):
    """An array that says it is of a float that nobody here has a bound for."""

    dtype = "ml.float8_e4m3fn"


def eighth(p, q):
    return p.copy().view(Eighth), 1.0


def infinite(p, q):
    return p / 0 * p, 1.0


def unreadable(p, q):
    class Odd:
        shape = p.shape

        def tolist(self):
            raise RuntimeError("no")

    return Odd(), 1.0


def exits(p, q):
    sys.exit("enough")


def interrupts(p, q):
    raise KeyboardInterrupt


def dies(p, q):
    os._exit(3)


def kills(p, q):
    os.kill(os.getpid(), 9)


def stays(p, q):
    while True:
        pass


def leaves_children(p, q):
    if os.fork() == 0:
        while True:
            pass
    os._exit(0)


def prints_a_lot(p, q):
    print("x" * 100_000)
    print("y" * 100_000, file=sys.stderr)
    os.write(1, b"{}\n" * 1000)
    if sys.stdin.read():
        raise ValueError("stdin is not at its end")
    return right(p, q)


def closes_stdout(p, q):
    sys.stdout.close()
    os.close(1)
    return right(p, q)


def dies_on_disjoint(p, q):
    if not np.minimum(p, q).any():
        os._exit(3)
    return p, np.float64(1)


def mixed(p, q):
    return [Fraction(1, 3), Decimal("0.1")], np.float32(0.1)


not_callable = 3
