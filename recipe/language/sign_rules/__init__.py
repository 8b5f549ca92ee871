"""What ``recipe.language.sign`` proves signs with: sets of signs, numbers, whole numbers, and
conditions between parameters. It imports the files of ``recipe.language``, but not ``sign``.
"""
