"""How memd's programs know that they run below a model call of memd's own.

Whoever starts a client as a language model sets the mark in its environment: no hook may remember what memd asks.
"""

from __future__ import annotations

MARK = "MEMD_MODEL_CALL"
