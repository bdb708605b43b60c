"""Another module of its folder, under a name of ours, and one of ours."""

import numeric
import right


def emitted(p, q):
    assert right.emitted(p, q)
    return numeric.emitted_distribution(p, q)
