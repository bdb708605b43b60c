"""Single-token speculative verification (Leviathan et al. 2023, Chen et al. 2023)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Optional

import numpy as np


@dataclass(frozen=True)
class VerifierConfig:
    vocab_size: int
    seed: Optional[int] = None
    sum_tolerance: float = 1e-6   # how far from 1 an input distribution may sum
    check_inputs: bool = True


class VerifyResult(NamedTuple):
    token: int
    accepted: bool


class SpeculativeVerifier:
    """Decides the fate of one drafted token so the output follows the target law."""

    def __init__(self, config: VerifierConfig, rng: Optional[np.random.Generator] = None):
        self.config = config
        self.rng = rng if rng is not None else np.random.default_rng(config.seed)

    def propose(self, draft_probs, rng: Optional[np.random.Generator] = None) -> int:
        """Sample a draft token from q."""
        return self._sample(self._prepare(draft_probs), self._pick_rng(rng))

    def verify(self, draft_token: int, target_probs, draft_probs,
               rng: Optional[np.random.Generator] = None) -> VerifyResult:
        """Accept `draft_token` (which must have been drawn from q) or replace it."""
        rng = self._pick_rng(rng)
        p, q = self._prepare(target_probs), self._prepare(draft_probs)
        token = int(draft_token)
        if not 0 <= token < self.config.vocab_size:
            raise IndexError(f"draft token {token} outside the vocabulary")
        if rng.random() < self._acceptance(p[token], q[token]):
            return VerifyResult(token, True)
        return VerifyResult(self._sample(self._residual(p, q), rng), False)

    def step(self, target_probs, draft_probs,
             rng: Optional[np.random.Generator] = None) -> VerifyResult:
        return self.verify(self.propose(draft_probs, rng), target_probs, draft_probs, rng)

    def _pick_rng(self, rng):
        return self.rng if rng is None else rng

    def _prepare(self, probs) -> np.ndarray:
        arr = np.asarray(probs, dtype=np.float64)
        if self.config.check_inputs:
            if arr.shape != (self.config.vocab_size,):
                raise ValueError(f"expected shape ({self.config.vocab_size},), got {arr.shape}")
            if not np.all(np.isfinite(arr)) or np.any(arr < 0.0):
                raise ValueError("probabilities must be finite and non-negative")
            if abs(arr.sum() - 1.0) > self.config.sum_tolerance:
                raise ValueError(f"probabilities sum to {arr.sum()!r}")
        return arr / arr.sum()

    @staticmethod
    def _acceptance(p_tok: float, q_tok: float) -> float:
        if q_tok <= 0.0:              # q cannot produce this; keep it only if p can
            return 1.0 if p_tok > 0.0 else 0.0
        return min(1.0, p_tok / q_tok)

    @staticmethod
    def _residual(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        excess = np.maximum(p - q, 0.0)
        total = excess.sum()
        return excess / total if total > 0.0 else p   # p == q: nothing left over

    @staticmethod
    def _sample(dist: np.ndarray, rng: np.random.Generator) -> int:
        cdf = np.cumsum(dist)
        idx = int(np.searchsorted(cdf, rng.random() * cdf[-1], side="right"))
        return min(idx, int(np.flatnonzero(dist)[-1]))  # guard the float edge
