"""From a rule or a kernel to a plan: a list of statements whose expressions stay finite.

Imports ``recipe`` alone; a plan knows nothing of the text that it becomes.
"""
