"""A card's Python text, parsed and never executed, as one small typed program that every reader shares."""
