"""Text that others wrote: one line, nothing that steers or hides, and a width that can be relied on."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from console.plain import ELLIPSIS, MOST_MARKS, UNKNOWN, cut, padded, plain, width

anything = st.one_of(
    st.text(),
    st.text(st.characters()),
    st.text(st.sampled_from("a \t\n\x1b\x7f\x9b\u0301\u200b\u202e\ufe0f\U0001f600\u65e5\ud800é…"), max_size=12),
)
NEVER_SHOWN = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}


@given(anything)
def test_what_is_plain_has_no_character_that_controls_or_hides(text: str) -> None:
    shown = plain(text)
    assert not {unicodedata.category(letter) for letter in shown} & NEVER_SHOWN
    assert len(shown.splitlines()) <= 1
    assert plain(shown) == shown


@given(anything)
def test_nothing_vanishes_but_styles_and_marks_beyond_the_most(text: str) -> None:
    marks = sum(unicodedata.category(letter) in ("Mn", "Me") for letter in text)
    assert len(text) - marks <= len(plain(text)) <= len(text)


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_printable_ascii_stays_as_it_is(text: str) -> None:
    assert plain(text) == text
    assert width(text) == len(text)


@pytest.mark.parametrize("code", range(0x20))
def test_control_bytes_become_their_pictures(code: int) -> None:
    shown = plain(f"a{chr(code)}b")
    assert shown == ("a b" if chr(code) == "\t" else f"a{chr(0x2400 + code)}b")
    assert width(shown) == 3


@pytest.mark.parametrize("code", [0x80, 0x84, 0x85, 0x90, 0x9B, 0x9C, 0x9D, 0x9F])
def test_the_upper_control_bytes_become_a_sign_for_the_unknown(code: int) -> None:
    assert plain(chr(code)) == UNKNOWN


def test_an_escape_sequence_is_text() -> None:
    assert plain("\x1b]0;title\x07\x1b[31mred\x7f") == "␛]0;title␇␛[31mred␡"


def test_bytes_that_were_no_text_become_a_sign_for_the_unknown() -> None:
    assert plain(b"a\xffb".decode(errors="surrogateescape")) == f"a{UNKNOWN}b"


@pytest.mark.parametrize(
    "letter",
    [
        *"\u200e\u200f\u061c",  # marks of direction
        *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",  # embeddings, overrides, isolates
        *"\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e",  # without width
        *"\u2028\u2029\x85",  # ends of lines
        *"\u115f\u1160\u3164\uffa0\u2800",  # letters that show nothing
        *"\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f\ufe00\ufe0d\U000e0100\U000e01ef",  # marks that show nothing
        "\U000e0041",  # a letter of an invisible tag
        "\ufdd0",
        "\uffff",
    ],
)
def test_what_reorders_or_hides_is_made_visible(letter: str) -> None:
    assert plain(f"a{letter}b") == f"a{UNKNOWN}b"
    assert width(plain(f"a{letter}b")) == 3


@pytest.mark.parametrize("selector", ["\ufe0e", "\ufe0f"])
def test_the_style_of_an_emoji_is_left_to_the_terminal(selector: str) -> None:
    assert plain(f"\u2764{selector}!") == "\u2764!"
    assert width(plain(f"\u2764{selector}!")) == 2


def test_a_joined_emoji_falls_apart_into_its_signs() -> None:
    assert plain("\U0001f468\u200d\U0001f469") == f"\U0001f468{UNKNOWN}\U0001f469"
    assert width(plain("\U0001f468\u200d\U0001f469")) == 5


def test_accents_take_no_column_and_do_not_pile_up() -> None:
    assert plain("e\u0301") == "e\u0301"
    assert width("e\u0301") == 1
    towering = "e" + "\u0301" * 50 + "x" + "\u0302"
    assert plain(towering) == "e" + "\u0301" * MOST_MARKS + "x\u0302"
    assert width(plain(towering)) == 2


@pytest.mark.parametrize(
    ("text", "columns"),
    [("", 0), ("abc", 3), ("日本", 4), ("ｆ", 2), ("한", 2), ("é", 1), ("\U0001f600", 2), ("1\u20e3", 1), ("a日", 3)],
)
def test_wide_letters_count_double(text: str, columns: int) -> None:
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("hello", 5, "hello"),
        ("hello", 4, "hel…"),
        ("hello", 1, "…"),
        ("hello", 0, ""),
        ("hello", -1, ""),
        ("", 0, ""),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("日本語", 2, "…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("e\u0301", 1, "e\u0301"),
    ],
)
def test_a_text_is_cut_between_letters_and_keeps_their_accents(text: str, columns: int, expected: str) -> None:
    assert cut(text, columns) == expected


def test_a_text_is_padded_to_its_column() -> None:
    assert padded("ab", 4) == "ab  "
    assert padded("ab", 4, right=True) == "  ab"
    assert padded("日本", 5) == "日本 "
    # A wide letter that would stand half outside leaves a column free.
    assert padded("日本", 3) == "日…"
    assert padded("日本語", 4, right=True) == " 日…"


@given(anything.map(plain), st.integers(-1, 30))
@example("日本語", 4)
@example("e\u0301" * 3, 2)
def test_width_cut_and_padded_agree(text: str, columns: int) -> None:
    kept = cut(text, columns)
    room = max(columns, 0)
    assert width(kept) <= room
    assert width(padded(text, room)) == width(padded(text, room, right=True)) == room
    assert padded(text, room).startswith(cut(text, room))
    if width(text) <= columns:
        assert kept == text
    else:
        assert kept in ("", ELLIPSIS) or (kept.endswith(ELLIPSIS) and text.startswith(kept[:-1]))
        # Not a column more is given away than a wide letter needs.
        assert width(kept) >= room - 1
