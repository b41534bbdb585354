"""Reader 1: runs a card with exact noise; everything that turns a distribution into draws."""
