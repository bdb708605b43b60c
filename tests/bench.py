"""Times in one interleaved run, printed as ratios: python tests/bench.py [seconds per vocabulary size].

The contestants take turns, so that a busy machine slows all of them alike; each is given by its median.  Nothing here
is a test: no figure of it is asserted anywhere.
"""

import sys
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

import exact
import numeric
from exact.reading import Numbers
from numeric.crosscheck import dyadic

SIZES = (10, 100, 700, 5_000, 50_257)


def law(V, rng, dtype):
    """Zipf-like, as over words: probabilities fall over some eight powers of ten."""
    weights = np.exp(3 * rng.standard_normal(V))
    return (weights / weights.sum()).astype(dtype)


def contestants(V):
    rng = np.random.default_rng(V)
    p, q = law(V, rng, np.float64), law(V, rng, np.float64)
    p32, q32 = law(V, rng, np.float32), law(V, rng, np.float32)
    weights, _ = dyadic(np.concatenate([p, q]))
    P, Q = Numbers(weights[:V]), Numbers(weights[V:])
    return {
        "numeric.emitted_distribution": lambda: numeric.emitted_distribution(p, q),
        "numeric.rejection_law": lambda: numeric.rejection_law(p, q),
        "exact.rejection_law, ints": lambda: exact.rejection_law(P, Q),
        "exact.emitted_distribution": lambda: exact.emitted_distribution(p, q),
        "numeric.cross_check, float64": lambda: numeric.cross_check(p, q),
        "numeric.cross_check, float32": lambda: numeric.cross_check(p32, q32),
    }


def interleaved(runs, seconds):
    """Median seconds of each run; at least three turns."""
    times = {name: [] for name in runs}
    end = perf_counter() + seconds
    while perf_counter() < end or len(times[next(iter(times))]) < 3:
        for name, run in runs.items():
            start = perf_counter()
            run()
            times[name].append(perf_counter() - start)
    return {name: median(t) for name, t in times.items()}


def main(seconds):
    for V in SIZES:
        medians = interleaved(contestants(V), seconds)
        base = medians["numeric.rejection_law"]
        print(f"V = {V}")
        for name, t in medians.items():
            print(f"  {name:30} {t / base:9.1f} x numeric.rejection_law {t / V * 1e9:9.0f} ns per entry")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 2.0)
