"""Statements, kernel, derivations; the paper, the lessons, the command line."""

__samelaw__ = True
