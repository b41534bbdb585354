"""Sums of many turning exponentials, a matrix product at a time.

With k = b r + s, exp(i k a) = exp(i b r a) exp(i s a): about 2 sqrt(n) exponentials serve n values of k, and the products are one
matrix product. (Multiplying by exp(i a) from value to value would take as few exponentials, but boxes turned in the plane grow
with every turn.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from flint import acb, acb_mat, arb

__all__ = ["Wave", "powers"]


def powers(weights: Sequence[arb], losses: Sequence[arb], t: arb, step: arb, nodes: range) -> list[acb]:
    """sum of weight * exp(z * loss) over the losses, at z = t + i k step for k in nodes."""
    if not weights:
        return [acb(0)] * len(nodes)
    block, strides = _split(len(nodes))
    terms = list(zip(weights, losses, strict=True))
    starts = [(nodes.start + b * block) * step for b in range(strides)]
    coarse = [[acb(t * loss, start * loss).exp() * weight for weight, loss in terms] for start in starts]
    fine = [[acb(0, s * step * loss).exp() for s in range(block)] for loss in losses]
    table = acb_mat(coarse) * acb_mat(fine)
    return list(table.entries()[: len(nodes)])


class Wave:
    """sum over k of coefficient_k * exp(i pi k turn), for any turn."""

    def __init__(self, coefficients: Sequence[acb]) -> None:
        self.block, self.strides = _split(len(coefficients))
        padding = [acb(0)] * (self.block * self.strides - len(coefficients))
        self.table = acb_mat(self.strides, self.block, [*coefficients, *padding])

    def at(self, turn: arb) -> acb:
        fine = acb_mat(self.block, 1, [acb(turn * s).exp_pi_i() for s in range(self.block)])
        coarse = acb_mat(1, self.strides, [acb(turn * (b * self.block)).exp_pi_i() for b in range(self.strides)])
        return (coarse * (self.table * fine))[0, 0]


def _split(count: int) -> tuple[int, int]:
    block = math.isqrt(max(count - 1, 0)) + 1
    return block, -(-count // block)
