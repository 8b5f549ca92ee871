"""How close the invariant law of a step is to ``exp(-H)``: a power of the step, proved in one
dimension.
"""

from verify.discrete.weak_order.invariant import Order, invariant_order
from verify.discrete.weak_order.marginal import Marginal

__all__ = ["Marginal", "Order", "invariant_order"]
