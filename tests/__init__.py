"""The tests; a package so that their helpers import the same way however pytest is called."""
