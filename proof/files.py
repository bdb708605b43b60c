"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from exact.reading import LawError


def require_writable(path: str) -> None:
    """LawError, before long work, where its result could not be written."""
    target = Path(path)
    if target.is_dir():
        raise LawError(f"output={path}: an output is a file, this is a folder; name a file in it")
    if not os.access(target.parent, os.W_OK):
        raise LawError(f"output={path}: its folder is missing or not to be written to; make it, or name another file")


def write_whole(path: str, text: str) -> None:
    r"""Write UTF-8 with \n; the path holds the old text or the new one, never a part.  LawError where it cannot be."""
    require_writable(path)
    target = Path(path)
    try:
        write_beside(target, text)
    except OSError as error:
        raise LawError(f"output={path}: it cannot be written ({error.strerror}); name another file") from None


def write_beside(target: Path, text: str) -> None:
    """A new file in the same folder, then put in the place of the old one, with its permissions."""
    handle, name = tempfile.mkstemp(dir=target.parent or Path(), prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~umask())
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_text(path: str) -> str:
    """The text of a file, for comparing; LawError where it cannot be read."""
    try:
        return Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise LawError(f"file={path}: it cannot be read ({error.strerror}); name another file") from None
    except UnicodeDecodeError as error:
        raise LawError(f"file={path}: it is UTF-8, byte {error.start} is not; name another file") from None
