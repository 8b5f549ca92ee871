"""The function ``run_many``, which moves many chains: for each chain it is ``run``.

Imports ``verify.translation.run`` and below.
"""
