"""Eight exercises on the derivation: starter files, and graders whose hidden checks are its lines."""
