"""The mechanisms of the literature on proofs of privacy, each at its true price: every card of these modules is private."""
