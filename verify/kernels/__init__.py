"""What is proved of Markov kernels in discrete time: that a part, and a sweep of parts, leaves
``exp(-H)`` invariant, exactly.
"""
