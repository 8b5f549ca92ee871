"""The function ``run_many``, which moves many chains: for each chain it must do what ``run`` does.

Imports ``verify.translation.run`` and below.
"""
