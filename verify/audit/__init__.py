"""What an audit finds beside its verdicts: a recipe, a law, the lengths for which a claim holds.
All of it is verified.
"""
