"""The linear recursion that a compiled step is near a point, and its law: covariances, means, the
noise of minibatches, and the bias of each coordinate.

Imports ``codegen.bias.step`` and below.
"""
