"""Writes the subset of YAML that rigs need."""

from __future__ import annotations

import decimal
import math
import re
import typing

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*|0x[0-9A-Fa-f]+")
#: Plain texts that YAML would parse as another type.
_WORDS = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}


def document(keys: typing.Mapping[str, typing.Any]) -> str:
    """Returns a document with one line per key."""
    return "".join(f"{_key(key)}: {flow(value)}\n" for key, value in keys.items())


def flow(value: object) -> str:
    """Returns a value on one line.

    Raises TypeError for a type that rigs do not support, and ValueError for a number that is not
    finite.
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
    raise TypeError(
        f"a rig cannot hold {value!r} (accepted: texts, numbers, lists and dictionaries)"
    )


def pairs(keys: typing.Mapping[typing.Any, object]) -> str:
    """Returns keys and values on one line, without braces."""
    return ", ".join(f"{_key(key)}: {flow(value)}" for key, value in keys.items())


def number(value: float) -> str:
    """Returns a number without an exponent; parsing it returns the same value.

    Raises TypeError for a boolean, and ValueError for a number that is not finite.
    """
    if isinstance(value, bool):
        raise TypeError(f"{value} is not a number")
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number")
    return format(decimal.Decimal(repr(float(value))), "f")


def quoted(text: str) -> str:
    """Returns a text in double quotes; characters other than printable ASCII are escaped."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    code = ord(character)
    if character in '"\\':
        return "\\" + character
    if 0x20 <= code < 0x7F:
        return character
    if 0xD800 <= code < 0xE000:
        raise ValueError("a rig must be UTF-8, but this text (a file name?) is not")
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _key(key: object) -> str:
    if isinstance(key, int) and not isinstance(key, bool):
        return f"0x{key:02X}"
    if isinstance(key, str):
        return key if _PLAIN.fullmatch(key) else quoted(key)
    raise TypeError(f"a key of a rig must be a text, not {key!r}")
