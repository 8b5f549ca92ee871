"""Kernels whose trajectories have another length leave the same law invariant."""

from catalog.hmc import ghmc, hmc_kernel
from recipe.kernel.trajectory import longest_trajectory, with_trajectories
from verify import verify
from verify.verdict import Verdict


def test_a_range_of_steps_is_replaced():
    assert longest_trajectory(hmc_kernel) == 20
    longer = with_trajectories(hmc_kernel, 300)
    assert longest_trajectory(longer) == 300
    assert verify(longer).verdict is Verdict.PROVED
    assert longest_trajectory(with_trajectories(hmc_kernel, 1)) == 2


def test_a_fixed_number_of_steps_stays():
    assert longest_trajectory(ghmc) is None
    assert with_trajectories(ghmc, 30).parts == ghmc.parts
