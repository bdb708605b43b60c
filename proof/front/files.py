"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from exact.reading import LawError


def require_writable(path: str) -> None:
    """LawError, before long work, where its result could not be written."""
    if not path:
        raise LawError("output=: an output has a name, this is empty; name a file")
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = 0
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        raise unwritable(path, error) from None
    if stat.S_ISDIR(mode):
        raise LawError(f"output={path}: an output is a file, this is a folder; name a file in it")
    if mode and not os.access(path, os.W_OK):
        raise LawError(f"output={path}: it is write-protected; lift that, or name another file")
    if not is_device(path) and not os.access(final(path).parent, os.W_OK):
        raise LawError(f"output={path}: its folder is missing or not to be written to; make it, or name another file")


def write_whole(path: str, text: str) -> None:
    r"""Write UTF-8 with \n; the path holds the old text or the new one, never a part.  LawError where it cannot be.

    A link stays a link, to the new text; a device such as /dev/stdout, which holds no text, is written to.
    """
    require_writable(path)
    try:
        if is_device(path):
            Path(path).write_text(text, encoding="utf-8", newline="\n")
        else:
            write_beside(final(path), text)
    except OSError as error:
        raise unwritable(path, error) from None


def write_beside(target: Path, text: str) -> None:
    """A new file in the same folder, then put in the place of the old one, with its permissions."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".samelaw.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~umask())
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def final(path: str) -> Path:
    """The file itself, where the path is a link to it."""
    return Path(os.path.realpath(path))


def is_device(path: str) -> bool:
    """/dev/null, a pipe and the like: there is something, and it is no file that could be replaced."""
    return os.path.exists(path) and not os.path.isfile(path)


def unwritable(path: str, error: OSError | ValueError) -> LawError:
    return LawError(f"output={path}: it cannot be written ({reason(error)}); name another file")


def reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_text(path: str) -> str:
    """The text of a file, for comparing; LawError where it cannot be read."""
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise LawError(f"file={path}: it is UTF-8, byte {error.start} is not; name another file") from None
    except (OSError, ValueError) as error:
        raise LawError(f"file={path}: it cannot be read ({reason(error)}); name another file") from None
