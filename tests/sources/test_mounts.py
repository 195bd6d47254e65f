"""What kind of file system a folder lies on."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.sources import mounts

TABLE = r"""
22 27 0:21 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
23 22 0:22 / /home rw - nfs4 server:/home rw
24 23 0:23 / /home/local rw - xfs /dev/vdb rw
25 22 0:24 / /mnt/my\040disk rw - cifs //server/disk rw
26 22 0:25 / /mnt/over rw - nfs server:/x rw
27 26 0:26 / /mnt/over rw - tmpfs tmpfs rw
28 22 0:27 / /home2 rw - fuse.sshfs user@host:/ rw
nonsense
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        (b"/usr", None),
        (b"/home", "nfs4"),
        (b"/home/me/.claude/projects", "nfs4"),
        (b"/home/local/me", None),  # mounted inside
        (b"/homes", None),  # a name that only begins alike
        (b"/home2/x", "fuse.sshfs"),
        (b"/mnt/my disk/x", "cifs"),
        (b"/mnt/over", None),  # covered by a later mount
    ],
)
def test_the_deepest_mount_above_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: bytes, kind: str | None
) -> None:
    (tmp_path / "mountinfo").write_text(TABLE)
    monkeypatch.setattr(mounts, "_TABLE", tmp_path / "mountinfo")

    assert mounts.network_kind(folder) == kind


def test_where_the_system_has_no_table_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "_TABLE", tmp_path / "none")

    assert mounts.network_kind(b"/home") is None
