"""Constructs in which a reader of programs could go wrong: each is refused, or runs as Python runs it.

Aliases and lists changed while they are looped over, names used twice, truth values among numbers, negative indices, quotients,
comparisons in chains, None, empty lists, draws inside expressions.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.source.tape import OFF_GRID, NoiseTape, function_of, run_function, run_program
from twoworlds.source.arguments import check_arguments
from twoworlds.source.parser import parse_text
from twoworlds.worlds.errors import BadArgument, Unsupported

HEAD = """\
@mechanism(neighbours=Each("data", by=1), price=Pure("k"))
def f(data, pub, *, k, b, sample):
"""
TRAPS = r"""
return data[-1] + data[-k]
return data[0] // 2, -data[0] // 2, data[0] % -3, -7 // k, -7 % k
return data[0] / 2
return data[0] / k, k / 2, k ** -1, k ** 2, 2 ** k, 0 ** k
xs = data\nxs[0] = 5\nreturn data[0], xs[0]
xs = [1, 2]\nys = xs\nys[0] = 9\nreturn xs, ys
xs = [1, 2]\nys = [xs, xs]\nxs.append(4)\nreturn ys
xs = [[0] * 2] * 2\nxs[0][0] = 1\nreturn xs
xs = [[0, 0]] * 2\nys = xs[0]\nys[0] = 1\nreturn xs
xs = [1, 2]\nfor x in xs:\n    if len(xs) < 5:\n        xs.append(x)\nreturn xs
xs = [1, 2, 3]\nfor x in xs:\n    xs[2] = 7\nreturn xs
xs = [1, 2, 3]\nt = 0\nfor x in xs:\n    xs[2] = 7\n    t = t + x\nreturn t
xs = [1, 2, 3]\nt = 0\nfor i, x in enumerate(xs):\n    xs[2] = 7\n    t = t + x\nreturn t
xs = [1, 2, 3]\nt = 0\nfor i, x in enumerate(xs):\n    if len(xs) < 6:\n        xs.append(x)\n    t = t + x\nreturn t
for i in range(3):\n    i = i + 1\nreturn i
for i in range(0):\n    pass\nreturn i
i = 7\nfor i in range(0):\n    pass\nreturn i
for i in range(k):\n    pass\nreturn i
i = 5\nxs = [i for i in range(3)]\nreturn i, xs
i = 5\nxs = [i + j for j in [i, i + 1]]\nreturn i, xs
x = 3\nreturn [x for x in [x, x + 1]]
n = 3\nfor i in range(n):\n    n = 1\nreturn i, n
return True + 1
return k == True
return b == 1
return b and k
return b or 0
return not k
return 1 if k else 2
return (b and k > 1) == (k > 1)
return 0 == data[0] < 5
return data[0] < data[1] < data[0]
return None == 0, None is None, None != data[0]
x = None\nif b:\n    x = 1\nreturn x is None, x == 1, x
x = None\nreturn x + 1
return data == data
return data == [1, 2, 3]
return [1, 2] == [1, 2]
return (1, 2) == (1, 2)
return [1] < [2]
return data + data
return [1] + [2]
return data * 2
return [1, 2] * 2
return (1, 2) * 2
return (1, 2) + (3, 4)
return data - data
return 2 * pub
return pub * 2
return pub + pub
return pub + data
return -data
return -pub
return max(data), min(data), max(data, pub)
return max(pub)
return max(1, 2, b)
return abs(b)
return sum([b, b])
return sum(data, 5)
return sum([[1], [2]])
return sum([])
return max([])
return max([x for x in data if x > 100])
return argmax(data), argmax([3, 3, 1])
return argmax([])
return clip(data, 0, 1)
return clip(data[0], 3, 1)
return clip(pub, 0, 1)
return cumsum(data), cumsum(pub), cumsum([1, 2])
return len(pub), len(data)
return range(3)
return [i for i in range(3, 0, -1)]
return [i for i in range(0, k, k)]
return range(k)[1], range(3)[-1]
return data[k / 2]
return data[Fraction(1)]
return data[Fraction(4, 2)]
return [0] * (k / 1)
return data[k * 1]
return 7 // k / 2
return k // 1 / 2
return k // 2 / 2
return len(data) / k
return len(data) / len(pub)
return Fraction(len(data), len(pub))
return Fraction(k, 0)
return data[0] ** 2
return k ** data[0]
return k ** 0.5
return -k ** 2
return -2 ** 2
return 2 ** -1
return (-8) ** (k / 3)
return data[0] // k, data[0] % k
return k // data[0]
return data[0] // data[1]
return data[0] % Fraction(1, 3)
return Fraction(1, 3) + data[0]
x = data[0]\nx += 1\nreturn data[0], x
xs = data\nxs += 1\nreturn data
xs = pub\nxs += [1]\nreturn pub
xs = [1]\nys = xs\nxs += [2]\nreturn ys
xs = [1]\nys = xs\nxs *= 2\nreturn ys
v = sample(Laplace(1), 3)\nw = v\nw += 1\nreturn v, w
v = sample(Laplace(1), 3)\nw = v\nw[0] = 5\nreturn v, w
v = sample(Laplace(1), 3)\nw = v\nw *= 2\nreturn v
v = data + sample(Laplace(1), 3)\nreturn v[0] == data[0], v
v = sample(Laplace(1), 3)\nreturn v * v
v = sample(Laplace(1), 3)\nreturn v / 2
v = sample(Laplace(1), 3)\nreturn v // 2
v = sample(Laplace(1), 3)\nreturn v % 2
v = sample(Laplace(1), 3)\nreturn max(v), min(v), argmax(v), sum(v), len(v), cumsum(v), clip(v, 0, 1), abs(v)
v = sample(Laplace(1), 3)\nreturn v == v
v = sample(Laplace(1), 3)\nreturn [x for x in v if x > 0]
v = sample(Laplace(1), 3)\nreturn v > 0
v = sample(Laplace(1), 0)\nreturn sum(v), len(v), v
v = sample(Laplace(1), k)\nreturn v + data
v = sample(Laplace(1), 3)\nreturn v + pub
v = sample(Laplace(1), 3)\nreturn pub + v
v = sample(Laplace(1), 3)\nreturn v + k / 3
v = sample(Bernoulli(Fraction(1, 2)), 3)\nreturn v, sum(v)
v = sample(Bernoulli(Fraction(1, 2)), 3)\nreturn v[0] + 1
v = sample(Uniform(5), 3)\nreturn v + data
v = sample(Uniform(5), 3)\nv[0] = data[0]\nreturn v
v = sample(Laplace(1), 3)\nv[0] = k / 3\nreturn v
v = sample(Laplace(1), 3)\nv.append(3)\nreturn v
v = sample(Laplace(1), 3)\nreturn v[-1], v[k]
v = sample(Laplace(1), 3)\nreturn v[0] / k, v[0] // 2, v[0] % 2, -v[0], abs(v[0])
x = sample(Laplace(1)) if b else 0\nreturn x
x = sample(Laplace(1)) + sample(Laplace(2)) * sample(Laplace(3))\nreturn x
x = (sample(Laplace(1)), sample(Laplace(2)))\nreturn x
a = [1, 2]\na[sample(Uniform(2))] = sample(Laplace(1))\nreturn a
a = [1, 2]\ni = 0\ni, a[i] = 1, 9\nreturn a
a = [5, 6]\nreturn a[0] if b else a[1], a
a = [5, 6]\na[0], a[1] = a[1], a[0]\nreturn a
a, a = 1, 2\nreturn a
x, y = data[0], data[1]\nx, y = y, x\nreturn x, y
if b:\n    x = 1\nreturn x
while True:\n    break\nreturn 1
n = 0\nwhile n < 3:\n    n = n + 1\n    if n == 2:\n        continue\nreturn n
for i in range(3):\n    for j in range(3):\n        if j == 1:\n            break\n    else:\n        pass\nreturn i, j
for x in data:\n    data = [9]\nreturn x
for data[0] in [1, 2]:\n    pass\nreturn 1
for x in data:\n    x = 0\nreturn data
for x, in data:\n    pass
for i in k:\n    pass
for i in 'abc':\n    pass\nreturn i
return 'abc'[0]
return 'a' + 'b'
return 'a' * 3
return 'a' == 'a', 'a' != 'b', 'a' < 'b'
return len('abc')
x = 'a'\nreturn x if b else k
return b, not b, b == b, b != (k > 1)
return b < b
return b is True
return max(True, False)
return [True, 1][0]
x = True\nx = 1\nreturn x
x = 1\nif b:\n    x = True\nreturn x
x = 1\nif b:\n    x = True\nreturn x == 1
x = 0\nif b:\n    x = None\nreturn x == 0, x is None
return 1, 1.0
return 1.5 * k
return 1e400
return 10 ** 400
return 0.1 + k
return k + 0.1
return -0.0
return 1_000 + 0x10
return data[0] * data[1]
return data[0] * k / 3
return data[0] * k // 3
return Fraction(data[0])
return Fraction(data[0], 3)
return Fraction(k)
return Fraction(1, k)
return Fraction('1/3')
return Fraction(0.5)
return Fraction(b)
return round(data[0])
return int(data[0])
return float(data[0])
return bool(k)
return str(k)
return sorted(data)
return any(data)
return list(data)
return tuple(data)
return [*data]
return data[:]
return data[::-1]
return data.copy()
return [x for x in data for y in data]
return [[x] for x in data][0]
return [[x, 1] for x in data]
xs = [[] for _ in range(2)]\nxs[0].append(1)\nreturn xs
xs = [[], []]\ny = xs[0]\ny.append(1)\nreturn xs
ys = []\nxs = [ys]\nys.append(3)\nreturn xs
ys = [0]\nxs = []\nxs.append(ys)\nys[0] = 3\nreturn xs
ys = [0]\nt = (ys, 1)\nys[0] = 3\nreturn t
ys = [0]\nzs = ys if b else [1]\nys[0] = 3\nreturn zs
ys = [0]\nfor zs in [ys, ys]:\n    ys[0] = ys[0] + 1\nreturn zs
ys = [0]\nfor i, zs in enumerate([ys, ys]):\n    ys[0] = ys[0] + 1\nreturn zs
ys = [0]\ndef g(z):\n    return z\nreturn g(ys)
xs = []\nxs.append(xs)\nreturn 1
xs = [0]\nxs[0] = xs\nreturn 1
xs = [1]\nxs = [xs[0], xs[0]]\nreturn xs
k = 5\nreturn k
k += 1\nreturn k
pub[0] = 3\nreturn pub
pub.append(1)\nreturn pub
data.append(1)\nreturn data
data[0] = 1\nreturn data
data[0] += 1\nreturn data
x = data\nx.append(1)\nreturn len(data)
sample = 3\nreturn 1
return sample(Laplace(data[0]))
return sample(Laplace(k), len(data)), sample(Laplace(k), data[0])
return sample(Laplace(k), 2.0)
return sample(Laplace(k), k)
return sample(Laplace(k), Fraction(2))
return sample(Laplace(k), None)
return sample(Laplace(k), True)
return sample(Laplace(k), -1)
return sample(Laplace(-1)), 1
return sample(Bernoulli(k))
return sample(Categorical([]))
return sample(Categorical([0, 0]))
return sample(Categorical(pub))
return sample(Categorical(data))
return sample(ExponentialWeights(data)), sample(ExponentialWeights(data, 2))
return sample(Uniform(len(data)))
return sample(Uniform(0))
return sample(NegativeBinomial(k, Fraction(1, 2)))
t = 0\nfor i in range(len(data)):\n    t += data[i]\nreturn t == sum(data)
x = 1; y = 2\nreturn x, y
return (1,)
return ()
return []
return [], ()
return [None, 1]
return None
return
pass
return 3 if 1 < k < 5 else 4
return 1 < k > 0 != 5
return (1 < 2) < 3
return (1 < 2) == (2 < 3)
return 1 < 2 == True
return -data[0] % 3, (-data[0]) // 2, -(data[0] % 3)
return 5 % -3, -5 % 3, -5 // 3, 5 // -3
return k % 1, k // 1, Fraction(7, 2) // 1, Fraction(-7, 2) % 2
return 2 ** 3 ** 2
return (2 ** 3) ** 2
return 2 * 3 + 4 - 5 // 2
return len(data) ** len(pub)
return data[len(data) - 1], data[-len(data)]
return data[3]
return data[-4]
return data[1 - 2]
return pub[-1], pub[True]
return pub[b]
x = [1, 2, 3]\nx[-1] = 7\nreturn x
x = [1, 2, 3]\nx[3] = 7\nreturn x
x = [1, 2, 3]\nx[-1] += 7\nreturn x
x = (1, 2)\nx[0] = 3\nreturn x
x = (1, [2])\nx[1][0] = 3\nreturn x
x = [1, 2, 3]\nx[x[0]] = 7\nreturn x
x = [0, 1]\ni = 0\nx[i] = i = 1\nreturn x
for i in range(2):\n    for i in range(3):\n        pass\nreturn i
for i in range(3):\n    if i == 1:\n        x = i\nreturn x
for i in [1, 2, None]:\n    x = i\nreturn x
for i, j in zip(range(3), data):\n    data[0] = 3\nreturn i, j
for i, j in zip(data, data):\n    i = j\nreturn i, j
for x, x in zip(data, pub):\n    pass\nreturn x
for i, i in enumerate(data):\n    pass\nreturn i
return [i for i, i in enumerate(data)]
for k in range(3):\n    pass\nreturn k
for _ in range(3):\n    pass\nreturn _
return sum(x for x in data if x > 0), max(x for x in data), len([x for x in data])
return sum(x * sample(Laplace(1)) for x in data)
return max(x for x in data if x > 100)
return any(x > 0 for x in data)
return [y for y in [x for x in data]]
return [y for y in [[x] for x in data][0]]
return [(x, y) for x, y in zip(data, pub)]
return [(i, x) for i, x in enumerate(data)]
return [x if x > 0 else 0 for x in data]
return [x > 0 for x in data], sum([1 if x > 0 else 0 for x in data])
return abs(-k), abs(data[0] - data[1]), abs(Fraction(-1, 2))
return min(k, 1), max(k, data[0]), min(Fraction(1, 2), data[0], 3)
return max(data[0], 1) == data[0]
return max(b, k)
return min(data) if len(data) > 5 else max(pub)
""".strip().splitlines()
INPUTS: list[dict[str, Any]] = [
    {"data": data, "pub": pub, "k": k, "b": b}
    for data in ([3, -2, 5], [Fraction(1, 2), 7, -3])
    for pub, k in (([1, 2, 3], 2), (["1/2", -4, 0], "7/3"), (3, 1))
    for b in (True, False, 1)
]


def outcomes(text: str) -> tuple[int, list[str]]:
    """How many inputs both readers took, and where they differ."""
    program, function = parse_text(text), function_of(text)
    compared, apart = 0, []
    for inputs in INPUTS:
        try:
            check_arguments(program, inputs)
        except BadArgument:
            continue
        for grid in (Fraction(1), Fraction(1, 4)):
            tapes = NoiseTape(7, grid), NoiseTape(7, grid)
            ran, read = run_function(function, program, inputs, tapes[0]), run_program(program, inputs, tapes[1])
            compared += 1
            if ran != OFF_GRID and repr(ran) != repr(read):
                apart.append(f"{inputs}: {ran} {read}")
    return compared, apart


@pytest.mark.parametrize("body", TRAPS)
def test_a_trap_is_refused_or_runs_as_it_is_read(body: str) -> None:
    """The function and the program give equal outputs, or fail alike, on all inputs that fit; or the text is refused."""
    text = HEAD + "".join(f"    {line}\n" for line in body.split(r"\n"))
    try:
        _, apart = outcomes(text)
    except Unsupported:
        return
    assert apart == []


def test_many_traps_are_run() -> None:
    """Not all is refused: over a hundred of the traps are accepted and compared."""
    accepted = 0
    for body in TRAPS:
        try:
            parse_text(HEAD + "".join(f"    {line}\n" for line in body.split(r"\n")))
        except Unsupported:
            continue
        accepted += 1
    assert accepted >= 100


def test_the_comparison_can_fail() -> None:
    """Planted: a list where the program reckons with a number is what the check keeps out; without it the readers differ."""
    text = HEAD + "    return 2 * pub\n"
    inputs = INPUTS[0]
    tapes = NoiseTape(1, Fraction(1)), NoiseTape(1, Fraction(1))
    program = parse_text(text)
    assert run_function(function_of(text), program, inputs, tapes[0]) != run_program(program, inputs, tapes[1])
    with pytest.raises(BadArgument):
        check_arguments(program, inputs)
