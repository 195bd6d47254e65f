"""The languages that recall knows."""

from __future__ import annotations

from memd.recall.languages.chinese import CHINESE
from memd.recall.languages.english import ENGLISH
from memd.recall.languages.french import FRENCH
from memd.recall.languages.german import GERMAN
from memd.recall.languages.japanese import JAPANESE
from memd.recall.languages.spanish import SPANISH

LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE, JAPANESE)
