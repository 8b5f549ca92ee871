"""Claims about code by its dotted name: for libraries whose samplers have a common form, of which
one adapter knows what each argument means.
"""
