"""optax: ``noisy_sgd``, and gradient transformations with noise.

optax calls it a way to train, after Neelakantan et al. (2015), and claims no law. A user who takes
it for Langevin dynamics claims ``exp(-U)``: its noise is added to the gradient, so that it is as
large as the step and vanishes in the limit.
"""

import jax
import optax
from letters import U, h, k, slope, theta

from recipe import lift

KEY = {"step": h, "noise": "key", "gradient": {"grad": slope}, "library": "jax"}


def _first_step(make):
    def one_step(key, x, lr, eta, grad):
        optimizer = make(lr, eta, jax.random.wrap_key_data(key))
        updates, _ = optimizer.update(grad(x), optimizer.init(x), x)
        return optax.apply_updates(x, updates)

    return lift(
        one_step,
        **KEY,
        state={"x": theta},
        arguments={"lr": h, "eta": k},
        target=U,
        expect="refuted",
    )


noisy_sgd = _first_step(lambda lr, eta, key: optax.noisy_sgd(lr, eta=eta, gamma=0.55, key=key))
noise_then_sgd = _first_step(
    lambda lr, eta, key: optax.chain(
        optax.add_noise(eta=eta, gamma=0.0, key=key), optax.scale_by_learning_rate(lr)
    )
)


def _langevin(key, x, lr, grad):
    """The same transformation with the variance that makes it Langevin dynamics."""
    optimizer = optax.chain(
        optax.add_noise(eta=2 / lr, gamma=0.0, key=jax.random.wrap_key_data(key)),
        optax.scale_by_learning_rate(lr),
    )
    updates, _ = optimizer.update(grad(x), optimizer.init(x), x)
    return optax.apply_updates(x, updates)


langevin_by_add_noise = lift(
    _langevin, **KEY, state={"x": theta}, arguments={"lr": h}, target=U, expect="proved"
)
