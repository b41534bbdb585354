"""Reader 2: a card tabulated. Its output law in two worlds, in exact rationals or certified balls, and what follows."""
