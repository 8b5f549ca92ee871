"""The law of a posterior as a pilot run sees it: where it is and how wide, or why that cannot be
said.

Imports ``codegen.results`` and below.
"""
