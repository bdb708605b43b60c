"""Going through a tour by keys: one page on the screen, and a key that says which is next."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence

from exact.reading import brief
from exact.text import spans, wrapped
from proof.lessons.screens import why_allowed
from proof.lessons.tour import Page, Tour

KEYS = "Enter on, l every line, b back, j N line N, n chapter, e end, ? why, q quit > "
BACK = "Enter: back to the line > "
MORE = "Enter: the rest of this screen > "
CLEAR = "\x1b[2J\x1b[H"

Ask = Callable[[str], str]
Show = Callable[[Sequence[str]], object]


def go_through(tour: Tour, ask: Ask, show: Show) -> None:
    """Show a page, ask for a key, and go where it says, until the end."""
    seen, said = [0], ""
    while True:
        page = tour.pages[seen[-1]]
        key = away(page, said, ask, show)
        if key == "q" or (key in ("", "l") and page is tour.pages[-1]):
            return
        seen, said = after(tour, seen, key)


def after(tour: Tour, seen: list[int], key: str) -> tuple[list[int], str]:
    """The pages seen once that key is followed, with the one to show as the last, and what there is to say of it."""
    at = seen[-1]
    if key == "b":
        return seen[:-1] or seen, ""
    there = leads_to(tour, at, key)
    if there is None:
        return seen, f"{brief(key)} is no key here{lines_text(tour) if key.startswith('j') else ''}"
    return seen if there == at else [*seen, there], left_out(tour, at, there) if key == "" else ""


def away(page: Page, said: str, ask: Ask, show: Show) -> str:
    """The key that leads away from the page; `?` says why its line is allowed, and Enter after that shows it again."""
    key = shown(page, said, ask, show)
    while key == "?":
        if page.shown is None:
            key = shown(page, "(here is nothing to prove yet)", ask, show)
        else:
            show(why_allowed(page.shown))
            key = typed(ask, BACK) or shown(page, "", ask, show)
    return key


def shown(page: Page, said: str, ask: Ask, show: Show) -> str:
    """The page, in parts where the screen does not hold it; the key that was pressed after it."""
    lines, room = [*page.lines, *foot(page), *wrapped(said)], max(5, shutil.get_terminal_size().lines - 3)
    parts = [lines[i : i + room] for i in range(0, len(lines), room)]
    for part in parts[:-1]:
        show(part)
        key = typed(ask, MORE)
        if key:
            return key
    show(parts[-1])
    return typed(ask, KEYS)


def typed(ask: Ask, prompt: str) -> str:
    return " ".join(ask(prompt).split())


def leads_to(tour: Tour, at: int, key: str) -> int | None:
    """The page that a key leads to from this one; None where it is no key, or leads nowhere."""
    last = len(tour.pages) - 1
    ahead = range(at + 1, last + 1)
    word, _, number = key.partition(" ")
    if word == "j" and number.isdecimal():
        return next((i for i, page in enumerate(tour.pages) if page.shown and str(page.number) == number), None)
    wanted: dict[str, Iterator[int]] = {
        "": (i for i in ahead if tour.pages[i].on_the_way),
        "l": iter(ahead),
        "n": (i for i in ahead if tour.pages[i].on_the_way and tour.pages[i].chapter != tour.pages[at].chapter),
        "e": iter([last]),
    }
    return next(wanted[key], last) if key in wanted else None


def left_out(tour: Tour, at: int, there: int) -> str:
    """Which lines Enter has passed over."""
    passed = [page.number for page in tour.pages[at + 1 : there]]
    if not passed:
        return ""
    return (
        f"(left out: line{'s' if len(passed) > 1 else ''} {spans(passed)}, {tour.left_out}; b, then l, for every line)"
    )


def lines_text(tour: Tour) -> str:
    numbers = [page.number for page in tour.pages if page.shown]
    return f"; lines are {numbers[0]} to {numbers[-1]}"


def foot(page: Page) -> list[str]:
    """The bars below a page, where there is room for them."""
    room = shutil.get_terminal_size().lines - len(page.lines) - 4
    return ["", *page.foot] if page.foot and len(page.foot) <= room else []


# ---- the terminal


def ask(prompt: str) -> str:
    """What was typed; the end of the input ends the tour."""
    try:
        return input(prompt)
    except EOFError:
        print()
        return "q"


def show(lines: Sequence[str]) -> None:
    if os.environ.get("TERM", "dumb") != "dumb":
        print(CLEAR, end="")
    print(*lines, "", sep="\n", flush=True)
