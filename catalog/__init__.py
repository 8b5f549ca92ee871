"""Published samplers, one a file. Each file reads like its paper and binds its recipe to the name
of the file. ``audits`` has rules that are judged, ``posteriors`` models to try a sampler on.

Imports the public language of ``recipe`` alone.
"""

import pkgutil

import recipe_sampler.one_distribution  # noqa: F401 - it refuses packages that hide ours


def __dir__() -> list[str]:
    """Return the files of the catalog, for completion at a prompt."""
    return sorted(file.name for file in pkgutil.iter_modules(__path__))
