"""How engineer_c.py is audited: rows of p and q are laid out for it, and the drafts drawn, as its comments say."""

import numpy as np

from engineer_c import verify_draft

STEPS = 2


def emit(p, q):
    drafted = []
    for _ in range(STEPS):
        drafted.append(np.random.choice(len(q(drafted)), p=q(drafted)))
    prefixes = [drafted[:i] for i in range(STEPS + 1)]
    draft_probs, target_probs = [q(x) for x in prefixes[:-1]], [p(x) for x in prefixes]
    return verify_draft(drafted, draft_probs, np.array(target_probs))
