"""The adversary: runs anything in two worlds, learns to tell them apart, and reports only what fresh runs confirm."""
