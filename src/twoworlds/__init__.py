"""Differential privacy in which every answer carries a claim that can be checked.

The public names live in their rooms and load on first use, so that `import twoworlds` itself loads nothing.
"""

TYPE_CHECKING = False  # type checkers read it as true; importing typing for it would cost more than all the rest here

_HOMES = {
    "Each": "worlds.neighbours",
    "Gaussian": "worlds.distributions",
    "Laplace": "worlds.distributions",
    "Ledger": "ledger.book",
    "One": "worlds.neighbours",
    "Pure": "losses.prices",
    "account": "losses.account",
    "mechanism": "worlds.cards",
    "open": "queries.tables",
    "price": "proofs.pricing",
    "prove": "proofs.prover",
    "release": "ledger.release",
    "run": "sampling.run",
    "sensitive": "proofs.functions.claims",
    "sensitivity": "proofs.functions.proving",
    "tabulate": "exact.tabulate",
}
__all__ = list(_HOMES)

if TYPE_CHECKING:
    from twoworlds.exact.tabulate import tabulate as tabulate
    from twoworlds.ledger.book import Ledger as Ledger
    from twoworlds.ledger.release import release as release
    from twoworlds.losses.account import account as account
    from twoworlds.losses.prices import Pure as Pure
    from twoworlds.proofs.functions.claims import sensitive as sensitive
    from twoworlds.proofs.functions.proving import sensitivity as sensitivity
    from twoworlds.proofs.pricing import price as price
    from twoworlds.proofs.prover import prove as prove
    from twoworlds.queries.tables import open as open
    from twoworlds.sampling.run import run as run
    from twoworlds.worlds.cards import mechanism as mechanism
    from twoworlds.worlds.distributions import Gaussian as Gaussian
    from twoworlds.worlds.distributions import Laplace as Laplace
    from twoworlds.worlds.neighbours import Each as Each
    from twoworlds.worlds.neighbours import One as One
else:

    def __getattr__(name: str) -> object:
        """A public name from its room (PEP 562), found once and kept."""
        if name not in _HOMES:
            raise AttributeError(f"twoworlds has no {name!r}; it has {', '.join(_HOMES)}")
        from importlib import import_module  # noqa: PLC0415  loaded when the first name is asked for

        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return __all__
