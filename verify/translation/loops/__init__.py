"""The forms of loops that are read: one small file each, with the argument why it means what it is
read as.
"""
