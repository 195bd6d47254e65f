"""The settings as the server shows and changes them: a seam between `config/` and the methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memd.config import load
from memd.config.load import Loaded
from memd.config.paths import Paths
from memd.errors import BadRequest, ConfigError
from memd.services import Settled


class FileConfiguration:
    """The loaded settings, and the file that ``config set`` writes."""

    def __init__(self, loaded: Loaded, paths: Paths) -> None:
        self._loaded, self._paths = loaded, paths

    def rows(self) -> Sequence[Settled]:
        """Every setting with its value and where it comes from."""
        return [
            Settled(row.key, row.value, row.default, row.origin, row.doc, row.allowed)
            for row in load.describe(self._loaded)
        ]

    def set(self, key: str, value: str) -> None:
        """Write one setting; BadRequest that says what is allowed."""
        try:
            load.set_value(self._paths.config_file, key, value)
        except ConfigError as error:
            raise BadRequest(error.message) from error

    def change_list(self, key: str, changed: Callable[[Sequence[str]], Sequence[str]]) -> Sequence[str]:
        """Write what ``changed`` makes of a list; BadRequest where the environment has set it, or it cannot be."""
        origin = self._loaded.origins.get(key, "")
        if origin.startswith("environment"):
            raise BadRequest(f"{key} comes from the {origin}: change it there")
        try:
            return load.change_list(self._paths.config_file, key, changed)
        except ConfigError as error:
            raise BadRequest(error.message) from error
