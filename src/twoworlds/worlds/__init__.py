"""The vocabulary: neighbours, distances, distributions as data, the card, events, claims, errors. Standard library only."""
