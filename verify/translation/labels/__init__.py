"""Is the text of a module that draws labels what the joint law says (``docs/labels.md``)?

The factors of the text make a weight, which is held against the joint law; the draws are read with
the counts that they hold at each statement.
"""
