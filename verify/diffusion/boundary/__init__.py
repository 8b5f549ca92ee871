"""What a process does at a finite end of its domain: does it stay inside, and does anything flow
through?
"""
