import numpy as np

# Batched-over-positions verification for speculative decoding.
#
#   draft_tokens  int   [K]       x_i ~ draft_probs[i]
#   draft_probs   float [K, V]    q_i
#   target_probs  float [K+1, V]  p_i ; last row is the distribution after all K drafts
#
# Returns the accepted prefix plus exactly one extra token, so 1..K+1 tokens.
# Randomness comes from the global NumPy state: np.random.seed(s) to reproduce.


def exponential_race(w):
    """Categorical draw from unnormalised weights: argmin of Exp(1)/w."""
    clocks = np.full(w.shape, np.inf)
    np.divide(np.random.exponential(size=w.shape), w, out=clocks, where=w > 0)
    return int(np.argmin(clocks))


def acceptance_mask(draft_tokens, draft_probs, target_probs):
    K = len(draft_tokens)
    rows = np.arange(K)
    px = target_probs[rows, draft_tokens]
    qx = draft_probs[rows, draft_tokens]
    u = np.random.rand(K)
    # u < min(1, p/q)  <=>  u * q < p, without dividing by a zero q
    return u * qx < px


def verify_draft(draft_tokens, draft_probs, target_probs):
    draft_tokens = np.asarray(draft_tokens, dtype=np.int64)
    draft_probs = np.asarray(draft_probs, dtype=np.float64)
    target_probs = np.asarray(target_probs, dtype=np.float64)
    K, V = len(draft_tokens), target_probs.shape[1]
    assert target_probs.shape == (K + 1, V)
    draft_probs = draft_probs.reshape(K, V)

    ok = acceptance_mask(draft_tokens, draft_probs, target_probs)
    n = int(np.cumprod(ok).sum())  # length of the accepted prefix

    # A zero row stands in for "q_{K+1}": its residual is p itself, i.e. the bonus token.
    q_ext = np.vstack([draft_probs, np.zeros((1, V))])
    resid = np.maximum(target_probs[n] - q_ext[n], 0.0)
    if not resid.any():  # p == q up to rounding
        resid = target_probs[n]

    return np.append(draft_tokens[:n], exponential_race(resid))
