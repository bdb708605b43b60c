"""samelaw: the exact-arithmetic proof companion to speculative decoding."""


def main() -> int:
    return 0
