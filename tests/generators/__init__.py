"""Makers of inputs: random samplers and update rules, and wrong variants of texts and
certificates. They know nothing of the test that uses them.
"""
