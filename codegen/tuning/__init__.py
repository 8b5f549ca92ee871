"""Find the setting of a sampler before a run: step size, scales, friction, minibatch, and the
number of steps, for a budget of bias and of Monte Carlo error (docs/decisions/0028).

A pilot run of Hamiltonian Monte Carlo with Metropolis tests says where the law is and how wide.
What a sampler costs within the budget is then predicted from its compiled step (``codegen.bias``),
or tried out where Metropolis tests make it exact.

Imports ``codegen.tuning.law`` and below.
"""
