"""Update rules as libraries ship them and papers print them, each with the verdict that is expected
of it and why.
"""
