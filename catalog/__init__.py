"""Published samplers, one a file. Each file reads like its paper and binds its recipe to the name
of the file. ``audits`` has rules that are judged, ``posteriors`` models to try a sampler on.

Imports the public language of ``recipe`` alone.
"""

import recipe_sampler.one_distribution  # noqa: F401 - it refuses packages that hide ours
