"""Files that a person gives to a command, as text."""

from __future__ import annotations

from pathlib import Path

from analysis.errors import InputError


def text_of(path: Path) -> str:
    """What a file says.

    Raises:
        InputError: it is not there, cannot be read, or is no UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError("file not found", where=str(path), remedy="Check the path.") from None
    except OSError as error:
        raise InputError("the file cannot be read", where=str(path), got=error.strerror or "") from None
    except UnicodeDecodeError:
        raise InputError("not UTF-8 text", where=str(path), remedy="Save the file as UTF-8.") from None
