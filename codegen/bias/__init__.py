"""What step size and minibatches do to the law that a run samples: a prediction, from the compiled
step itself, and the repairs.

The step is linearised where its noise-free part stands still, and the stationary covariance of the
linear recursion is compared with its limit for small steps (docs/decisions/0026).

Imports ``codegen.bias.linear`` and below.
"""
