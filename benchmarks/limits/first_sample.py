"""Ten steps of a generated module ``kernel``, SGHMC on a standard normal law; it imports numpy,
numba and the module.
"""

import kernel
import numpy as np

state = kernel.allocate(np.zeros(100), np.zeros(100))
draws = kernel.Draws(np.zeros((0, 100)), np.zeros((0, 100)))
kernel.run(state, draws, (), (), 0.01, kernel.Params(1.0), np.uint64(1), 0, 0, 10, 0, 1)
print(state.theta[0])
