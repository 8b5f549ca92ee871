"""Sample the parameters of data with labels: Gibbs sweeps over the labels of a minibatch, and a
step of a sampler for each row of parameters (``docs/decisions/0050``).
"""
