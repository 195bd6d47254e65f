"""The languages that recall knows, the most frequent first."""

from __future__ import annotations

from memd.recall.languages.english import ENGLISH

LANGUAGES = (ENGLISH,)
