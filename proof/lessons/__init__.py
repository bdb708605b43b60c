"""The derivation as a lesson: each line with the learner's numbers, and what breaks it."""
