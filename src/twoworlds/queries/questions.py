"""A question of a session: typed when it is made, priced as often as one likes, released when one says so."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from twoworlds.queries.answers import Answer
from twoworlds.queries.measures import Typed
from twoworlds.queries.plan import Query
from twoworlds.queries.pricing import Offer
from twoworlds.queries.session import Session
from twoworlds.queries.typing import typed

__all__ = ["Question"]


class Question:
    """Aggregates of a private table. Only `release` reads data, and only it costs."""

    def __init__(self, session: Session, query: Query, text: str | None = None) -> None:
        self.session = session
        self.query = query
        self.text = text

    @cached_property
    def typed(self) -> Typed:
        """With what the policy says of it; refused where it says too little."""
        return typed(self.query, self.session.policy, self.text)

    def offer(self, *, epsilon: object) -> Offer:
        """What it costs at this epsilon, and how near its answers will be; free."""
        return self.session.offer(self.typed, epsilon=epsilon)

    def release(self, *, epsilon: object, **how: Any) -> Answer:
        """The answer, charged before it is computed."""
        return self.session.release(self.typed, epsilon=epsilon, **how)
