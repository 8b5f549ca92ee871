"""Findings beside the verdicts: a skew Q that makes a rule a recipe, the law that a wrong rule
keeps, the lengths and the parameters for which an identity holds, a repair (``repair``). All of it
is proved before it is reported.
"""
