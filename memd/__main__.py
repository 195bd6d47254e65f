"""``python -m memd``, and the script ``memd``."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run, then leave at once: no thread may hold up the end."""
    from memd.daemon.main import main as run

    code = run()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
