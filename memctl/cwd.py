"""The working directory, for what cannot do without one."""

from __future__ import annotations

import os

from memctl.exits import REFUSED, Failure


def cwd() -> str:
    """Its path; Failure where it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        raise Failure(
            REFUSED, "the folder you are in is gone: go to another one, then run this again"
        ) from None
