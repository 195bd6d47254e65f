"""``python -m memctl``."""

from __future__ import annotations

from memctl.main import run

if __name__ == "__main__":
    run()
