"""Writes the YAML of rigs: no more of it than they need."""

from __future__ import annotations

import decimal
import math
import re
import typing

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*|0x[0-9A-Fa-f]+")
#: What YAML takes for something else than a text, whatever stands around it.
_WORDS = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}


def document(keys: typing.Mapping[str, typing.Any]) -> str:
    """A document with a line for each of its keys."""
    return "".join(f"{_key(key)}: {flow(value)}\n" for key, value in keys.items())


def flow(value: object) -> str:
    """A value on one line.

    Raises TypeError for what no rig holds, and ValueError for a number that is none.
    """
    if isinstance(value, typing.Mapping):
        return "{" + pairs(value) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, (bytes, bytearray)):
        return quoted(value.hex())
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and value.lower() not in _WORDS else quoted(value)
    raise TypeError(f"a rig cannot hold {value!r}: it takes texts, numbers, lists and dictionaries")


def pairs(keys: typing.Mapping[typing.Any, object]) -> str:
    """Keys and their values on one line, without braces."""
    return ", ".join(f"{_key(key)}: {flow(value)}" for key, value in keys.items())


def number(value: float) -> str:
    """A number without an exponent, that reads back equal.

    Raises TypeError for a truth value, and ValueError for an infinite one and for none.
    """
    if isinstance(value, bool):
        raise TypeError(f"{value} is no number")
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number that a rig can hold")
    return format(decimal.Decimal(repr(float(value))), "f")


def quoted(text: str) -> str:
    """A text in double quotes; what is not plain ASCII is escaped."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    code = ord(character)
    if character in '"\\':
        return "\\" + character
    if 0x20 <= code < 0x7F:
        return character
    if 0xD800 <= code < 0xE000:
        raise ValueError("a rig is UTF-8, and this text (a file's name?) is not")
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _key(key: object) -> str:
    if isinstance(key, int) and not isinstance(key, bool):
        return f"0x{key:02X}"
    if isinstance(key, str):
        return key if _PLAIN.fullmatch(key) else quoted(key)
    raise TypeError(f"a key of a rig is a text, not {key!r}")
