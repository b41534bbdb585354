"""Two neighbouring worlds of a card, and what the card promises about them."""

from twoworlds.mechanisms.above_threshold import above_threshold
from twoworlds.worlds.errors import NotNeighbours

case = above_threshold.worst[0]
print(above_threshold)
print(f"  {above_threshold.about}")
print(f"  one world   {case.world}")
print(f"  the other   {case.other}")
print(f"  their distance is {above_threshold.neighbours.distance(case.world, case.other)}")

try:
    above_threshold.neighbours.check(case.world, [value + 2 for value in case.world])
except NotNeighbours as error:
    print(f"  refused: {error}")
