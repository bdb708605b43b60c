"""How engineer_a.py is audited: the verifier gets our rng where it takes one."""

from engineer_a import SpeculativeVerifier, VerifierConfig


def emit(p, q, rng):
    return SpeculativeVerifier(VerifierConfig(vocab_size=len(p)), rng).step(p, q)
