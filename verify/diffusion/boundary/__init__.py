"""The process at a finite end of its domain: Does it stay inside? Does probability flow through the
edge?
"""
