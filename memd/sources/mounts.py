"""On what kind of file system a folder lies: over a network, what another machine writes is announced to nobody."""

from __future__ import annotations

import os
import re
from pathlib import Path

_TABLE = Path("/proc/self/mountinfo")  # Linux; elsewhere nothing is known
_NETWORK = frozenset(
    {"9p", "afs", "ceph", "cifs", "drvfs", "fuse.glusterfs", "fuse.s3fs", "fuse.sshfs", "lustre"}
    | {"nfs", "nfs4", "smb3", "smbfs", "vboxsf"}
)
_ESCAPED = re.compile(rb"\\([0-7]{3})")


def network_kind(folder: bytes) -> str | None:
    """The kind of the network file system that the folder lies on; None where it lies on this machine."""
    try:
        table = _TABLE.read_bytes()
    except OSError:
        return None
    kind = _kind(os.path.realpath(folder), table)
    return kind if kind in _NETWORK else None


def _kind(folder: bytes, table: bytes) -> str:
    """The file system of the longest mount point above the folder; of equal ones the last covers the others."""
    longest, kind = -1, ""
    for line in table.splitlines():
        mount, _, source = line.partition(b" - ")
        fields = mount.split(b" ")
        if len(fields) < 5:
            continue
        point = _ESCAPED.sub(lambda code: bytes([int(code[1], 8) & 0xFF]), fields[4]).rstrip(b"/")
        if len(point) >= longest and (folder + b"/").startswith(point + b"/"):
            longest, kind = len(point), source.split(b" ")[0].decode("ascii", "replace")
    return kind
