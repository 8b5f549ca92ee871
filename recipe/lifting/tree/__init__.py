"""What a function does to numbers, as one small tree of operations that every front end fills, and
the way from trees at several lengths to the rule of one generic coordinate.
"""
