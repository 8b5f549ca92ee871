"""What is proved of a change of variable ``theta = f(phi)``: monotone, onto, Lipschitz, smooth, and
its steps at the boundary.
"""
