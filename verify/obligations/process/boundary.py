"""``boundary``: the process stays in its domain, and no probability flows through the edge."""

from __future__ import annotations

from verify.diffusion.boundary.decide import decide_boundary
from verify.diffusion.boundary.edges import has_edge
from verify.obligation import Obligation, of_diffusions

BOUNDARY = Obligation(
    name="boundary",
    statement=(
        "p v.n = 0 at every edge of the domain, where p = exp(-H) and p v is its current, and the"
        " process does not leave"
    ),
    explanation=(
        "The Fokker-Planck equation holds inside the domain. On a domain with an edge, such as"
        " theta > 0, the process must also stay inside: either it never reaches the edge, or it"
        " turns back by itself without probability flowing through. Langevin dynamics for"
        " exp(-theta) on theta > 0 runs into the edge and must be reflected there; a"
        " Cox-Ingersoll-Ross process, whose noise goes to zero like sqrt(theta), need not. A"
        " coordinate that is a diffusion by itself is judged by Feller's test, from the exponents"
        " of p ~ e^k and D ~ e^m at a distance e from the edge. A coordinate without noise of its"
        " own (a position that is moved by a momentum) must have a speed that vanishes at the edge,"
        " or an H that grows without bound there."
    ),
    discharge=decide_boundary,
    handles_reflections=True,
    applies=lambda subject: of_diffusions(subject) and has_edge(subject),
    vacuous="the domain has no edge",
)
