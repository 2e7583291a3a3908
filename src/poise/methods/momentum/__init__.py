"""Editing leaps by their momentum: further, higher, turned, landing there.

Abe, Liu & Popović 2004, "Momentum-based Parameterization of Dynamic Character Motion". So far what
comes before the optimization: stages (`stages`) and the momentum curves of ground stages
(`momentum_curves`, section 4.1). The spacetime problem, edits and families follow; until then
`METHODS` does not list it.
"""
