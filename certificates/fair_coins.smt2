(set-logic QF_NRA)
(assert (distinct 0.0 1.0))
(assert (<= 0.0 (/ 1.0 2.0)))
(assert (< 0.0 3.0))
(assert (<= 0.0 2.0))
(push 1) ; an outcome is not too likely
(assert (not (<= 0.0 0.0)))
(check-sat)
(pop 1)
(push 1) ; an outcome is not too likely
(assert (not (<= 0.0 2.0)))
(check-sat)
(pop 1)
