"""Inks for light and dark paper. Every series also differs in dash and marker, so that colour never carries meaning alone.

On their paper, inks have a contrast of at least 3 to 1 and text of at least 4.5 to 1 (WCAG 2.1, 1.4.11 and 1.4.3). No two inks
are closer than 15 units of CIE Lab in normal vision or in total protanopia, deuteranopia or tritanopia, as simulated by Machado,
Oliveira and Fernandes (2009). The tests compute both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from twoworlds.figures.checks import Ink

__all__ = ["DARK", "DASHES", "LIGHT", "MARKERS", "Theme", "contrast"]


@dataclass(frozen=True)
class Theme:
    """The colours of paper, text, rules and series."""

    paper: str
    text: str
    quiet: str
    rule: str
    axis: str
    inks: Mapping[Ink, str]


LIGHT = Theme(
    paper="#ffffff",
    text="#1f2328",
    quiet="#57606a",
    rule="#e6e9ed",
    axis="#8c959f",
    inks=MappingProxyType(
        {
            "first": "#0b55bb",
            "second": "#c87d16",
            "third": "#189b66",
            "fourth": "#a52c97",
            "fifth": "#5f4b0c",
            "neutral": "#6f767d",
            "alarm": "#d0142e",
        }
    ),
)
DARK = Theme(
    paper="#14171c",
    text="#e8ebef",
    quiet="#a8b0ba",
    rule="#2a2f37",
    axis="#6b747f",
    inks=MappingProxyType(
        {
            "first": "#5b8fff",
            "second": "#f59a4a",
            "third": "#3fe0a0",
            "fourth": "#dd92ea",
            "fifth": "#f2ee4e",
            "neutral": "#9aa1a8",
            "alarm": "#f2585c",
        }
    ),
)
DASHES: Mapping[Ink, str] = MappingProxyType(
    {"first": "", "second": "9 4", "third": "3 4", "fourth": "9 4 2 4", "fifth": "14 4", "neutral": "5 5", "alarm": ""}
)
MARKERS: Mapping[Ink, str] = MappingProxyType(
    {"first": "●", "second": "◆", "third": "■", "fourth": "▲", "fifth": "▼", "neutral": "○", "alarm": "✕"}
)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, from 1 to 21 (WCAG 2.1)."""
    lights = sorted(_luminance(colour) for colour in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
