"""How far a function of Python can carry two neighbouring inputs apart: proved for all inputs, or refuted by two of them.

claims          what is stated                  reading          the function as a program
fusing, tables  lists and rows one by one       secrets          what may differ between the worlds
straight        branches as values              settling         all of these in order
points, reader  both runs as text               runs             obligations for solvers: the trusted part
worlds, trials  inputs that are tried           bounds, guesses  what fits them
invariants      what both runs keep             proving, causes  the verdict, and why not
"""
