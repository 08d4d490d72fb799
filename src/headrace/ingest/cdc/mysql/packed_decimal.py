"""Decimals as MySQL stores them."""

from __future__ import annotations

from collections.abc import Callable

_DIGITS = 9
"""They are stored in groups of so many digits, each in 4 bytes, and the rest in fewer."""
_REST_BYTES = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)


def read_decimal(precision: int, scale: int) -> Callable[[bytes, int], tuple[str, int]]:
    """What reads one at an offset, and the offset after it.

    Groups of digits are big-endian; the first bit is turned over, and of a negative number all bits.
    """
    whole, rest = divmod(precision - scale, _DIGITS)
    groups = [(_REST_BYTES[rest], rest)] if rest else []
    groups += [(4, _DIGITS)] * whole
    fraction, rest = divmod(scale, _DIGITS)
    groups += [(4, _DIGITS)] * fraction + ([(_REST_BYTES[rest], rest)] if rest else [])
    size = sum(each for each, _ in groups)
    before = precision - scale

    def read(data: bytes, at: int) -> tuple[str, int]:
        end = at + size
        is_negative = not data[at] & 0x80
        value = bytes([data[at] ^ 0x80]) + data[at + 1 : end]
        if is_negative:
            value = bytes(each ^ 0xFF for each in value)
        digits, place = "", 0
        for count, width in groups:
            digits += f"{int.from_bytes(value[place : place + count], 'big'):0{width}d}"
            place += count
        text = (digits[:before].lstrip("0") or "0") + (f".{digits[before:]}" if scale else "")
        return f"-{text}" if is_negative else text, end

    return read
