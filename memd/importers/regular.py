"""Opening what strangers may have put there: regular files alone."""

from __future__ import annotations

import errno
import os
import stat


class NotAFile(OSError):
    """A link, a FIFO, a device or a folder stands where a file should."""


def open_regular(path: bytes) -> tuple[int, os.stat_result]:
    """A descriptor and its stat; NotAFile for anything but a regular file. Nothing is ever followed or waited for."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            raise NotAFile(error.errno, "no regular file") from error
        raise
    info = os.fstat(descriptor)
    if not stat.S_ISREG(info.st_mode):
        os.close(descriptor)
        raise NotAFile(errno.EINVAL, "no regular file")
    return descriptor, info
