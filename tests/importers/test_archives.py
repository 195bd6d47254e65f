"""Archives that mean harm, or are broken: each ends in one clear sentence, at once and in little memory (LS29)."""

from __future__ import annotations

import io
import random
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from memd.errors import HistoryImportError
from memd.importers import zstd
from memd.importers.gathering import Wanted
from memd.importers.limits import ImportLimits
from tests.importers.exports import chatgpt
from tests.importers.test_formats import gathered, said

GOOD = chatgpt.dump([chatgpt.conversation(n) for n in range(2)])
NOISE = random.Random(1).randbytes(200_000).hex().encode()


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return made.getvalue()


def bomb() -> bytes:
    return packed({"conversations.json": b"[" + b'{"a": "%b"}' % (b"0" * (20 << 20)) + b"]"})


def bomb_without_a_name() -> bytes:
    return packed({"x": b'  [{"a": "%b"}]' % (b"0" * (20 << 20))})


def zeros() -> bytes:
    return packed({"conversations.json": bytes(20 << 20)})


def many() -> bytes:
    return packed({f"{n}": b"" for n in range(1001)}, zipfile.ZIP_STORED)


def many_that_say_they_are_few() -> bytes:
    data = many()
    end = data.rfind(b"PK\x05\x06")
    return data[: end + 8] + struct.pack("<HH", 1, 1) + data[end + 12 :]


def encrypted() -> bytes:
    data = bytearray(packed({"conversations.json": GOOD}))
    data[6] |= 1
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def cut_off() -> bytes:
    return packed({"conversations.json": NOISE})[:-500]


def cut_in_the_middle() -> bytes:
    data = packed({"conversations.json": b"[" + b'{"mapping": {}, "id": "%b"}]' % NOISE})
    return data[:1000] + data[90_000:]


def wrong_sum() -> bytes:
    data = packed({"conversations.json": b'{"id": "broken"}' + GOOD}, zipfile.ZIP_STORED)
    return data.replace(b'{"id": "broken"}', b'{"id": "brOken"}')


def lies_about_its_size() -> bytes:
    data = bytearray(packed({"conversations.json": b'[{"a": "%b"}]' % (b"0" * (20 << 20))}))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 900)
    return bytes(data)


def says_it_was_large_when_packed() -> bytes:
    data = bytearray(bomb())
    at = data.rfind(b"PK\x01\x02")
    data[at + 20 : at + 24] = struct.pack("<I", 1 << 30)
    return bytes(data)


def strange_packing() -> bytes:
    return packed({"conversations.json": GOOD}, zipfile.ZIP_LZMA)


def nested() -> bytes:
    return packed({"inner.zip": packed({"conversations.json": GOOD})})


def packed_twice() -> bytes:
    return packed({"rollout.zst": zstd.MAGIC + NOISE})


def linked(*names: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in names:
            info = zipfile.ZipInfo(name)
            info.create_system = 3
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, "/etc/passwd")
    return made.getvalue()


def a_link() -> bytes:
    return linked("conversations.json")


def links() -> bytes:
    return linked("0", "1", "2")


def empty() -> bytes:
    return packed({})


def too_large() -> bytes:
    return packed({"conversations.json": b"[" + NOISE * 6 + b"]"}, zipfile.ZIP_STORED)


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "a bomb": (bomb, "times its size, as a zip bomb does"),
    "a bomb without a name": (bomb_without_a_name, "times its size, as a zip bomb does"),
    "zeros": (zeros, "times its size, as a zip bomb does"),
    "more members than may be": (many, "more than 1,000 members"),
    "members that say they are few": (many_that_say_they_are_few, "more than 1,000 members"),
    "encrypted": (encrypted, "is encrypted: unpack it with its password first"),
    "cut off": (cut_off, "broken archive, or one that is cut off"),
    "cut in the middle": (cut_in_the_middle, "cut off"),
    "a wrong sum": (wrong_sum, "damaged or cut off inside the archive"),
    "more than it says": (lies_about_its_size, "cut off"),
    "packed size that is a lie": (says_it_was_large_when_packed, "times its size, as a zip bomb does"),
    "a packing nobody uses": (strange_packing, "packed in a way that is not read"),
    "an archive in an archive": (nested, "its member inner.zip is packed itself: unpack the archive"),
    "a rollout that was packed, in an archive": (
        packed_twice,
        "its member rollout.zst is packed itself: unpack",
    ),
    "a link": (a_link, "its member conversations.json is a link, which is not followed"),
    "links": (links, "its member 0 is a link, which is not followed (2 more were passed over)"),
    "nothing": (empty, "holds no history"),
    "a member over the limit": (too_large, "more than the 2,000,000 of the limit"),
}
LIMITS = ImportLimits(max_zip_members=1000, max_file_bytes=2_000_000)
LARGE = ImportLimits(max_zip_members=1000)


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_archive_ends_in_one_clear_sentence(what: str, tmp_path: Path) -> None:
    make, sentence = HOSTILE[what]
    path = tmp_path / "export.zip"
    path.write_bytes(make())

    with pytest.raises(HistoryImportError) as caught:
        gathered(path, Wanted(limits=LIMITS if "limit" in what else LARGE))

    told = str(caught.value)
    assert sentence in told and str(path) in told
    assert "\n" not in told and len(told) < 400
    assert [one.name for one in tmp_path.iterdir()] == ["export.zip"]


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../../../etc/cron.d/x", "C:\\x", "a/b/c.txt", "\x1b[31m", "x" * 60_000]
)
def test_a_name_is_a_label_and_never_a_path(name: str, tmp_path: Path) -> None:
    path = tmp_path / "export"
    path.write_bytes(packed({name: GOOD}))

    _, sessions = gathered(path)

    assert len(said(sessions)) == 4
    assert [one.name for one in tmp_path.iterdir()] == ["export"]


def test_an_ordinary_export_is_read_whatever_else_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(
        packed(
            {
                "chat.html": b"<html>" * 9,
                "images/a.png": NOISE,
                "user.json": b'{"id": 1}',
                "deep/c.json": GOOD,
                "more.zip": nested(),
            }
        )
    )

    assert len(said(gathered(path)[1])) == 4
