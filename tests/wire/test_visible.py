from __future__ import annotations

import pytest

from memd.wire.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("größer · жизнь · 記憶", "größer · жизнь · 記憶"),
        ("👩‍💻", "👩‍💻"),  # the joiner inside an emoji does no harm
        ("❤️ می‌خواهم", "❤️ می‌خواهم"),  # so do a selector of colour, and a joiner that keeps letters apart
        ("a\u200eb\u200fc\u061cd", "a<U+200E>b<U+200F>c<U+061C>d"),  # marks that move what stands beside them
        ("pass\u00adword\u3164\U000e0101", "pass<U+00AD>word<U+3164><U+E0101>"),
        ("\x1b[2J", "\\x1b[2J"),  # clears the screen
        ("\x1b]52;c;cm0=\x07", "\\x1b]52;c;cm0=\\x07"),  # writes the clipboard
        ("rm -rf /\rls", "rm -rf /\\x0dls"),  # hides what stands before it
        ("abc\b\b", "abc\\x08\\x08"),
        ("a\x00b", "a\\x00b"),
        ("\x0b\x0c\x0e\x0f\x05", "\\x0b\\x0c\\x0e\\x0f\\x05"),
        ("\x7f", "\\x7f"),
        ("\x9b31m\x9d0;x\x9c", "\\x9b31m\\x9d0;x\\x9c"),  # the same as ESC [ and ESC ] in one character
        ("a\x85b", "a\\x85b"),
        ("\u202eevil\u202c", "<U+202E>evil<U+202C>"),  # shows text backwards
        ("\u2066x\u2069", "<U+2066>x<U+2069>"),
        ("a\u200bb\u2060c\ufeffd", "a<U+200B>b<U+2060>c<U+FEFF>d"),
        ("a\u2028b\u2029c", "a<U+2028>b<U+2029>c"),
        ("x\U000e0068\U000e0069", "x<U+E0068><U+E0069>"),  # text that only a model reads
        ("\ud83d \udcff", "<U+D83D> <U+DCFF>"),  # half of a pair, an undecodable byte
    ],
)
def test_what_acts_or_hides_is_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_what_is_visible_can_be_encoded_and_stays_as_it_is() -> None:
    everything = "".join(map(chr, range(0x20000)))

    once = visible(everything)

    once.encode()
    assert visible(once) == once
