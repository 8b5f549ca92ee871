"""Update rules as libraries ship them and papers print them, each with the expected verdict and the
reason for it.

Imports the public language of ``recipe`` alone.
"""
