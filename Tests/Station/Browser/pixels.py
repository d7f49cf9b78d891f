"""Reads screenshots as pixels, for contrasts over a picture that no engine computes; decodes
Chromium's PNG."""
import base64
import struct
import zlib


def capture(driver, box):
    """Returns the rows of a rectangle of the window as lists of (red, green, blue)."""
    x, y, width, height = box
    answer = driver.execute_cdp_cmd("Page.captureScreenshot", {
        "format": "png", "clip": {"x": x, "y": y, "width": width, "height": height, "scale": 1}})
    return decode(base64.b64decode(answer["data"]))


def decode(png):
    """Decodes a PNG with eight bits per channel, with or without alpha, not interlaced."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", png[16:29])
    assert depth == 8 and kind in (2, 6) and not interlaced
    size = 3 if kind == 2 else 4
    data, at = b"", 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at:at + 8])
        if name == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += 12 + length
    raw, rows, before = zlib.decompress(data), [], bytearray(width * size)
    for row in range(height):
        begin = row * (width * size + 1)
        before = unfiltered(raw[begin], bytearray(raw[begin + 1:begin + 1 + width * size]), before, size)
        rows.append([tuple(before[column * size:column * size + 3]) for column in range(width)])
    return rows


def unfiltered(kind, line, above, size):
    """Removes the filter of a line (PNG specification, section 9)."""
    for index in range(len(line)):
        left = line[index - size] if index >= size else 0
        up, corner = above[index], above[index - size] if index >= size else 0
        if kind == 1:
            line[index] = (line[index] + left) & 255
        elif kind == 2:
            line[index] = (line[index] + up) & 255
        elif kind == 3:
            line[index] = (line[index] + (left + up) // 2) & 255
        elif kind == 4:
            guess = left + up - corner
            near = min((left, up, corner), key=lambda one: abs(guess - one))
            line[index] = (line[index] + near) & 255
    return line


def luminance(colour):
    """Returns the relative luminance of WCAG 2.2."""
    linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Returns the contrast ratio of two colours, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
