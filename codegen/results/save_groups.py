"""Save groups of variables: all of them or none, if the disk has room."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from codegen.results.diagnostics.groups import Group
from codegen.results.write_netcdf import write_netcdf
from codegen.system.signals import Signals
from recipe.files.atomic_write import whole_file
from recipe.language.errors import RecipeError

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

FILE_OVERHEAD_BYTES = 2**20  # of a file of draws, beside the draws themselves


def save_groups(groups: Mapping[str, Group], target: Path) -> Path:
    """Write groups as netCDF. A reader of the file sees all of it or none, and Ctrl-C waits until
    it is complete.

    Args:
        groups: the groups by name.
        target: the file, which is replaced if it exists.

    Returns:
        The path.

    Raises:
        RecipeError: where the disk has no room; an old file is then unchanged.
    """
    size = sum(v.values.nbytes for group in groups.values() for v in group.variables.values())
    with Signals() as signals:
        with signals.held(), whole_file(target) as temporary:
            refuse_full_disk(target, size)
            write_netcdf(groups, temporary)
        signals.act()
    return target


def refuse_full_disk(target: Path, size: int) -> None:
    """Refuse a file of draws that does not fit on the disk, before it is written.

    Args:
        target: the file.
        size: the bytes of the draws.

    Raises:
        RecipeError: with the bytes that are needed and those that there are.
    """
    needed = size + FILE_OVERHEAD_BYTES
    room = {
        "the disk has {:.1f} MB left": (
            shutil.disk_usage(target.parent).free if target.parent.is_dir() else needed
        )
    }
    if resource is not None:
        most, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
        room["a file may have {:.1f} MB (ulimit -f)"] = (
            needed if most == resource.RLIM_INFINITY else most
        )
    for said, there in room.items():
        if there < needed:
            raise RecipeError(
                f"{target} cannot be written: it needs {needed / 1e6:.1f} MB, and"
                f" {said.format(there / 1e6)}; choose another path, raise thin= or keep fewer"
                " blocks"
            )
