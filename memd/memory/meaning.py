"""What a text means, as its embedder tells: handed in by whoever may wait for a model, never asked for here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vectors of a text in a space: one row a window of it."""

    space: int
    windows: Floats
