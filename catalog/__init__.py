"""Published samplers, one a file; each file reads like its paper and binds its recipe to the name
of the file.
"""
