"""Are the draws of the labels of a datum from their conditional law, and are counts enough for the
gradient (``docs/decisions/0050``)?
"""
