"""The generated modules in the cache, as a table and as plain data."""

from __future__ import annotations

import time
from typing import Any

from codegen.store.inventory import Contents, Kept, size


def cache_lines(found: Contents) -> list[str]:
    """Return the lines of the table, one module a line, the last used one first."""
    if not found.modules:
        return [f"nothing is kept in {found.folder} yet"]
    rows = [_row(m) for m in sorted(found.modules, key=lambda m: -m.used)]
    head = ("last used", "text", "machine code", "module", "made from")
    widths = [max(len(row[n]) for row in (head, *rows)) for n in range(4)]
    modules = counted(len(found.modules), "module")
    lines = [f"{modules}, {bytes_in_words(size(found.files()))}, in {found.folder}"]
    for row in (head, *rows):
        lines.append(
            "  ".join(
                [
                    f"{row[0]:<{widths[0]}}",
                    f"{row[1]:>{widths[1]}}",
                    f"{row[2]:>{widths[2]}}",
                    f"{row[3]:<{widths[3]}}",
                    row[4],
                ]
            )
        )
    return lines


def _row(module: Kept) -> tuple[str, str, str, str, str]:
    used = time.strftime("%Y-%m-%d %H:%M", time.localtime(module.used))
    text = [module.text] if module.text else []
    made_from = module.made_from or "its text is gone"
    return (
        used,
        bytes_in_words(size(text)),
        bytes_in_words(size(module.code)),
        module.name,
        made_from + (f", {module.scheme}" if module.scheme else ""),
    )


def cache_as_json(found: Contents) -> dict[str, Any]:
    """Return the modules as plain data, with sizes in bytes."""
    return {
        "directory": str(found.folder),
        "bytes": size(found.files()),
        "modules": [
            {
                "name": m.name,
                "made_from": m.made_from,
                "scheme": m.scheme,
                "text_bytes": size([m.text] if m.text else []),
                "machine_code_bytes": size(m.code),
                "machine_code_files": len(m.code),
                "last_used": m.used,
            }
            for m in found.modules
        ],
    }


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, such as ``2 modules``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def bytes_in_words(count: int) -> str:
    """Return a size in megabytes or kilobytes."""
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"
