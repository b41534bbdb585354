"""Inks for light and dark paper. Every series also differs in dash and marker, so that colour never carries meaning alone.

The hues follow Okabe and Ito (2008), which people with any common colour vision tell apart, darkened for white paper and
lightened for dark paper until each has a contrast of at least 4.5 to 1 (WCAG 2.1, 1.4.3 and 1.4.11).
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
            "first": "#0067a5",
            "second": "#b34700",
            "third": "#00735a",
            "fourth": "#9c3d78",
            "fifth": "#6b5b00",
            "neutral": "#656d76",
            "alarm": "#c4162a",
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
            "first": "#62b0ee",
            "second": "#f2a45c",
            "third": "#4cc9a2",
            "fourth": "#e59bcb",
            "fifth": "#d8c65f",
            "neutral": "#9aa3ad",
            "alarm": "#ff8080",
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
