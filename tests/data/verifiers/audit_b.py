"""How engineer_b.py is audited: it draws from the module `random`, so it is run with `--protocol global`."""

from engineer_b import propose, verify_token


def emit(p, q):
    return verify_token(propose(q), p, q)
