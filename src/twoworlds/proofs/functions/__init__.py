"""How far a function of Python can carry two neighbouring inputs apart: proved for all inputs, or refuted by two of them.

claims      what is stated, on a function or in a text             reading    the function as a program
tables      loops over rows, in any order and with rows missing    straight   branches on secrets as conditional values
runs        both runs as obligations for solvers (trusted)         trials     both runs on worlds that are tried
guesses     bounds and invariants that fit the trials              proving    those that hold; the verdict
"""
