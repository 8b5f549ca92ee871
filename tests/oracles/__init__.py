"""Slow, obvious second implementations. An oracle shares no code with what it judges: it imports
the language (`recipe`) to read a declaration, and nothing else of the product.
"""
