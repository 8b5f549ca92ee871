"""All that a checkpoint compares of a gradient, as one text."""

from codegen.running.gradient_source import read_gradient


def source_text(function):
    """Two gradients with equal texts compute the same, as far as this can be seen."""
    return "\n".join(f"{path} = {text}" for path, text in read_gradient(function).texts.items())
