"""The arguments of ``sample``, checked and in numbers: options, parameters, data, lengths,
first states, gradients.

Imports ``codegen.generate`` and below.
"""
