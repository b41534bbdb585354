"""Accountants of others on one problem, in a process of their own: `python accountants.py NAME PROBLEM` prints a line of JSON.

Run by accounting.py with the interpreter of an environment that has them; imports nothing of ours. Opacus is installed without
torch, of which its accountants use nothing: a stand-in is put in its place.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import types
import warnings
from collections.abc import Callable
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

Answer = dict[str, float]
REQUIRED = ("dp-accounting", "prv-accountant")
WITHOUT_TORCH = "opacus"
# name: (parts as (kind, noise, rate, count), delta); the last one asks for the noise at epsilon = 1
SAMPLED, LAPLACE = "sampled", "laplace"
PROBLEMS: dict[str, tuple[tuple[tuple[str, float, float, int], ...], float]] = {
    "i3": (((SAMPLED, 1.0, 0.01, 10**3),), 1e-5),
    "i4": (((SAMPLED, 1.0, 0.01, 10**4),), 1e-5),
    "i5": (((SAMPLED, 1.0, 0.01, 10**5),), 1e-5),
    "ii": (((SAMPLED, 0.6, 0.001, 10**4),), 1e-5),
    "iii": (((LAPLACE, 10.0, 1.0, 100),), 1e-6),
    "iv": (((SAMPLED, 20.0, 1.0, 50), (LAPLACE, 20.0, 1.0, 50), (SAMPLED, 1.0, 0.01, 20)), 1e-6),
    "tiny": (((SAMPLED, 1.0, 0.01, 1000),), 1e-12),
    "tiny30": (((SAMPLED, 1.0, 0.01, 1000),), 1e-30),
    "small": (((SAMPLED, 10.0, 0.0005, 1000),), 1e-5),
    "huge": (((SAMPLED, 4.0, 0.001, 10**7),), 1e-6),
    "v": (((SAMPLED, 0.0, 0.004, 20_000),), 1e-6),
}


def dp_accounting(pitch: float | None, problem: str) -> Callable[[], Answer]:
    """Google's, by discretised privacy loss with this pitch, or by Renyi divergence."""
    import dp_accounting as google
    from dp_accounting import rdp
    from dp_accounting.pld import PLDAccountant

    def event(kind: str, noise: float, rate: float) -> Any:
        if kind == LAPLACE:
            return google.LaplaceDpEvent(noise)
        return google.PoissonSampledDpEvent(rate, google.GaussianDpEvent(noise)) if rate < 1 else google.GaussianDpEvent(noise)

    def fresh() -> Any:
        return PLDAccountant(value_discretization_interval=pitch) if pitch else rdp.RdpAccountant()

    def epsilon(parts: Any, delta: float) -> Answer:
        accountant = fresh()
        for kind, noise, rate, count in parts:
            accountant.compose(event(kind, noise, rate), count)
        return {"upper": accountant.get_epsilon(delta)}

    def noise(parts: Any, delta: float) -> Answer:
        [(kind, _, rate, count)] = parts
        made = lambda sigma: google.SelfComposedDpEvent(event(kind, sigma, rate), count)  # noqa: E731  the peer takes a function
        return {"noise": google.calibrate_dp_mechanism(fresh, made, 1.0, delta, tol=1e-4)}

    return lambda: (noise if problem == "v" else epsilon)(*PROBLEMS[problem])


def prv(problem: str) -> Callable[[], Answer]:
    """Microsoft's, at an error in epsilon of 0.01."""
    from prv_accountant import GaussianMechanism, LaplaceMechanism, PoissonSubsampledGaussianMechanism, PRVAccountant
    from prv_accountant.dpsgd import find_noise_multiplier

    parts, delta = PROBLEMS[problem]

    def mechanism(kind: str, noise: float, rate: float) -> Any:
        if kind == LAPLACE:
            return LaplaceMechanism(mu=1 / noise)
        if rate < 1:
            return PoissonSubsampledGaussianMechanism(sampling_probability=rate, noise_multiplier=noise)
        return GaussianMechanism(noise_multiplier=noise)

    def run() -> Answer:
        if problem == "v":
            return {"noise": find_noise_multiplier(parts[0][2], parts[0][3], 1.0, delta, eps_error=0.01)}
        counts = [count for *_, count in parts]
        made = [mechanism(*part[:3]) for part in parts]
        accountant = PRVAccountant(made, eps_error=0.01, delta_error=delta / 1000, max_self_compositions=counts)
        low, _, high = accountant.compute_epsilon(delta, counts)
        return {"lower": low, "upper": high}

    return run


def opacus(kind: str, problem: str) -> Callable[[], Answer]:
    """Meta's: sampled Gaussian noise only."""
    folder = next(Path(path) / "opacus" for path in sys.path if (Path(path) / "opacus").is_dir())
    package = sys.modules["opacus"] = types.ModuleType("opacus")
    package.__path__ = [str(folder)]
    for name in ("torch", "torch.nn", "torch.optim", "torch.utils", "torch.utils.data", "opacus.optimizers"):
        sys.modules[name] = StandIn(name)
    from opacus import accountants
    from opacus.accountants.utils import get_noise_multiplier

    parts, delta = PROBLEMS[problem]
    if len(parts) > 1 or parts[0][0] == LAPLACE:
        raise SystemExit("does not offer this")
    _, sigma, rate, count = parts[0]
    asked = {"target_epsilon": 1.0, "target_delta": delta, "sample_rate": rate, "steps": count, "epsilon_tolerance": 1e-3}

    def run() -> Answer:
        if problem == "v":
            return {"noise": get_noise_multiplier(accountant=kind, **asked)}
        accountant = accountants.create_accountant(kind)
        accountant.history = [(sigma, rate, count)]
        return {"upper": accountant.get_epsilon(delta)}

    return run


class StandIn(types.ModuleType):
    """A module in which every name is an empty class."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


PEERS: dict[str, Callable[[str], Callable[[], Answer]]] = {
    "dp-accounting PLD 1e-4": partial(dp_accounting, 1e-4),
    "dp-accounting PLD 1e-3": partial(dp_accounting, 1e-3),
    "dp-accounting RDP": partial(dp_accounting, None),
    "PRV accountant": prv,
    "Opacus PRV": partial(opacus, "prv"),
    "Opacus RDP": partial(opacus, "rdp"),
}


def main() -> None:
    warnings.filterwarnings("ignore")
    if sys.argv[1:] == ["versions"]:
        print(json.dumps({name: metadata.version(name) for name in (*REQUIRED, WITHOUT_TORCH)}))
        return
    name, problem = sys.argv[1:]
    run = PEERS[name](problem)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    found = run()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({**found, "seconds": time.process_time() - start, "grown": (after - before) / 1024}, default=float))


if __name__ == "__main__":
    main()
