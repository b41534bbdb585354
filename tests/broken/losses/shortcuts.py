"""Accountants with one mistake each, all seen in the field or in earlier code of our own. Oracles must tell them from ours."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from twoworlds.losses.loss import Loss
from twoworlds.losses.verdicts import posterior


def posterior_but_for_delta(loss: Loss, prior: str, delta: str) -> float:
    """Takes approximate privacy for probabilistic: the posterior at epsilon, said to hold but with probability delta."""
    return posterior(prior, loss.epsilon(delta).upper)


def sentence_but_for_delta(epsilon: float) -> str:
    """The same mistake in words, which once were in every account: delta above 0, and an even bet at epsilon alone."""
    return f"an even bet that Bob is in the table can become {math.ceil(posterior('1/2', epsilon) * 1e4) / 100:.2f}%"


def delta_as_shown(delta: Fraction) -> float:
    """Rounds the delta that goes with an epsilon to the nearest float: a tiny one is shown as 0."""
    return float(delta)


def convolved(sigma: float, rate: float, count: int, delta: float, pitch: float = 5e-3) -> float:
    """epsilon by a Fourier transform in floats: losses split between their neighbours on a grid, both laws keep their mass.

    Sound on paper (Doroshenko et al. 2022). In floats every mass has noise near 1e-17, beside which a tiny delta is nothing, and
    noise below zero is taken for what it is not: probability that is missing.
    """
    x = np.linspace(-12, 12 + 1 / sigma, 40_001)
    normal = np.exp(-x * x / 2) / math.sqrt(2 * math.pi) * (x[1] - x[0])
    ratio = 1 - rate + rate * np.exp((x - 1 / (2 * sigma)) / sigma)
    low = np.floor(np.log(ratio) / pitch).astype(int)
    share = (np.exp(-low * pitch) - 1 / ratio) / (np.exp(-low * pitch) * -math.expm1(-pitch))
    size, first = 1 << 14, int(low.min())
    masses = np.bincount(low - first, normal * ratio * (1 - share), size) + np.bincount(
        low + 1 - first, normal * ratio * share, size
    )
    whole = np.fft.irfft(np.fft.rfft(masses / masses.sum()) ** count)
    place = (np.arange(size) + first * count + size // 2) % size - size // 2
    losses = np.sort(place) * pitch
    ordered = whole[np.argsort(place)]
    for epsilon in losses[::-1]:
        beyond = losses > epsilon
        if float(np.sum(ordered[beyond] * -np.expm1(epsilon - losses[beyond]))) > delta:
            return float(epsilon + pitch)
    return 0.0


def central_limit(sigma: float, rate: float, count: int, delta: float) -> float:
    """epsilon from a normal limit: mu = rate sqrt(count (e^(1 / sigma^2) - 1)), which is an estimate and no bound."""
    from twoworlds.losses.loss import gaussian_privacy

    mu = rate * math.sqrt(count * math.expm1(1 / sigma**2))
    return gaussian_privacy(mu).epsilon(delta).upper


def one_direction(loss: Loss, delta: str) -> float:
    """Reads the add direction only, as an accountant does that drops a direction which came out as not a number."""
    return Loss(loss.add, loss.add, loss.neighbours, loss.attained_by).epsilon(delta).upper
