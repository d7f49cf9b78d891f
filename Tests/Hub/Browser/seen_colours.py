"""Simulates how colours are perceived with all cone types and with one missing."""


def contrast(one, other):
    """Returns the contrast ratio of two colours (WCAG 2.2, 1.4.3)."""
    def light(colour):
        parts = [int(part) / 255 for part in colour[colour.index("(") + 1:-1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


# Linear RGB as perceived with one cone type missing (Machado, Oliveira and Fernandes 2009, severity
# 1).
CONES = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no long": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no middle": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no short": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def seen(colour, cones):
    """Returns a colour as L*, a* and b* (CIE 1976) as perceived with these cones."""
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1:-1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    red, green, blue = (min(1, max(0, sum(one * other for one, other in zip(row, linear)))) for row in cones)
    whites = ((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505, 0.2126 * red + 0.7152 * green + 0.0722 * blue,
              (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.0888)
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in whites)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
