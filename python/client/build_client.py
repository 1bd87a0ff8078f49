"""Builds the wheel and the source archive of `duel-client` with the standard library alone.

The modules are those of python/duel: in the tree they are taken from there, in a source archive from
beside this file.
"""

from __future__ import annotations

import io
import os
import pathlib
import sys
import tarfile
from typing import Any, Iterator

HERE = pathlib.Path(__file__).resolve().parent
IN_TREE = (HERE.parent / "build_backend.py").exists()
SHARED = HERE.parent if IN_TREE else HERE
sys.path.insert(0, str(SHARED))
import build_backend  # noqa: E402

MODULES = ("client.py", "_client_routes.py", "_client_transport.py", "_features.py", "errors.py",
           "py.typed")


def _version() -> str:
    if IN_TREE:
        return build_backend._version()
    text = (HERE / "PKG-INFO").read_text()
    return next(line.split(": ")[1] for line in text.splitlines() if line.startswith("Version: "))


def _metadata() -> str:
    return build_backend.metadata((HERE / "pyproject.toml").read_text(), _version(),
                                  (HERE / "README.md").read_text())


def _license() -> bytes:
    return ((HERE.parent.parent if IN_TREE else HERE) / "LICENSE").read_bytes()


def _package() -> Iterator[tuple[str, bytes]]:
    yield "duel_client/__init__.py", (HERE / "duel_client" / "__init__.py").read_bytes()
    for module in MODULES:
        yield f"duel_client/{module}", (SHARED / "duel" / module).read_bytes()


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Any = None,
                metadata_directory: Any = None) -> str:
    return build_backend.write_wheel(wheel_directory, f"duel_client-{_version()}", "py3-none-any",
                                     _package(), _metadata(), _license(), is_pure=True)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    name = f"duel_client-{_version()}"
    files = {path: (HERE / path).read_bytes()
             for path in ("pyproject.toml", "README.md", "build_client.py",
                          "duel_client/__init__.py")}
    files.update({f"duel/{module}": (SHARED / "duel" / module).read_bytes() for module in MODULES})
    files["build_backend.py"] = (SHARED / "build_backend.py").read_bytes()
    files["LICENSE"] = _license()
    files["PKG-INFO"] = _metadata().encode()
    archive_name = f"{name}.tar.gz"
    with tarfile.open(os.path.join(sdist_directory, archive_name), "w:gz",
                      format=tarfile.PAX_FORMAT) as archive:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return archive_name
