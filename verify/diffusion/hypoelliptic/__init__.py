"""Hypoellipticity: blocks with noise of their own, and blocks that noise reaches through the
drift.
"""
