"""One guard per file. A guard looks, and says why a candidate goes no further, or nothing.

In their order: ``trust`` (G0), ``scope`` (G1), ``denylist`` (G2), ``artifact`` (G3), ``launches``
(G4), ``plausibility`` (G6), ``regression``. G5, G7 and G8, the oracle, the judge and the
confirmation, belong to the proof.
"""
