"""The arguments of ``sample``, checked and as numbers: options, parameters, data, lengths, first
states, gradients.

Imports ``codegen.generate`` and below.
"""
