"""A card's Python text, parsed and never executed, as one small typed program that every reader shares.

text, signature          a function's tree and its head          files, bindings     the cards of a file, what its names mean
expressions, statements  trees become a program                  kinds, rules        what values can be
inlining                 helpers written in place                inference, sharing  the kinds of a program
parser                   all of these in order                   genuine             the text is what runs
program                  the program itself                      values, interpreter what it means
arguments                what may be handed to it
"""
