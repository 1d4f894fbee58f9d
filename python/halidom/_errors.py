"""The exceptions of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._verdict import Verdict


class HalidomError(Exception):
    """The base of all exceptions of this package."""


class MissingTool(HalidomError):
    """A program that the job needs is not installed. The message says how to install it."""


class InputError(HalidomError, ValueError):
    """A file or a pipeline cannot be read or compiled.

    ``code`` is a stable code with a page in the documentation, ``hint`` says what to try. ``file``,
    ``line`` and ``column`` are the place, where there is one.
    """

    def __init__(
        self,
        message: str,
        *,
        code: Optional[str] = None,
        hint: Optional[str] = None,
        file: Optional[str] = None,
        line: Optional[int] = None,
        column: Optional[int] = None,
    ) -> None:
        place = "" if file is None else f"{file}:{line}:{column}: " if line else f"{file}: "
        tail = "" if hint is None else f"\n  hint: {hint}"
        name = "" if code is None else f"[{code}] "
        super().__init__(f"{place}{name}{message}{tail}")
        self.message = message
        self.code = code
        self.hint = hint
        self.file = file
        self.line = line
        self.column = column


class NotProved(HalidomError, AssertionError):
    """A verdict other than *proved*. ``verdict`` has the details."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.explanation())
        self.verdict = verdict


class Refuted(NotProved):
    """The compiled code was run and gives a wrong value."""


class Unknown(NotProved):
    """It is not known whether the compiled code is right, or there was nothing to judge."""


class ArgumentError(HalidomError, TypeError):
    """An argument of a compiled pipeline has a wrong type, rank or layout, or is missing."""


class CheckFailed(HalidomError, ValueError):
    """An entry check of a compiled pipeline refuses the arguments. ``check`` is its text."""

    def __init__(self, message: str, check: Optional[str] = None) -> None:
        super().__init__(message)
        self.check = check


class UnprovedWarning(UserWarning):
    """A pipeline is used although it is not known whether its code is right."""
