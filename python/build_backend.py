"""Builds the wheel and the source archive of the Python package (PEP 517), with CMake and the
standard library alone, so that it works offline with what Debian packages.

    python3 -m pip wheel --no-build-isolation --no-deps .
    python3 -m build --wheel --no-isolation

DUEL_BUILD_DIR names a tree that is built already; without it one is built in build/wheel.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from typing import Any, Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Archives must not depend on when they are made.
EPOCH = (1980, 1, 1, 0, 0, 0)


def _version() -> str:
    found = re.search(r"^\s*VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text(), re.M)
    if found is None:
        raise RuntimeError("CMakeLists.txt names no version")
    return found.group(1)


def _tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[^A-Za-z0-9]", "_", sysconfig.get_platform())
    return f"{python}-{python}-{platform}"


def _metadata() -> str:
    """The core metadata, from pyproject.toml. It is read by lines: Python 3.9 has no tomllib."""
    text = (ROOT / "pyproject.toml").read_text()

    def entry(name: str) -> str:
        found = re.search(rf'^{name} = "(.*)"$', text, re.M)
        if found is None:
            raise RuntimeError(f"pyproject.toml has no {name}")
        return found.group(1)

    lines = [
        "Metadata-Version: 2.1",
        f"Name: {entry('name')}",
        f"Version: {_version()}",
        f"Summary: {entry('description')}",
        f"Requires-Python: {entry('requires-python')}",
        "Requires-Dist: numpy",
        "Provides-Extra: plots",
        "Requires-Dist: matplotlib; extra == 'plots'",
        "Provides-Extra: frames",
        "Requires-Dist: pandas; extra == 'frames'",
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / "README.md").read_text(),
    ]
    return "\n".join(lines)


def _wheel_file() -> str:
    return f"Wheel-Version: 1.0\nGenerator: duel\nRoot-Is-Purelib: false\nTag: {_tag()}\n"


def _build() -> pathlib.Path:
    """Builds the native module and gives the tree it is in."""
    given = os.environ.get("DUEL_BUILD_DIR")
    if given:
        return pathlib.Path(given)
    tree = ROOT / "build" / "wheel"
    configure = ["cmake", "-S", str(ROOT), "-B", str(tree), "-DCMAKE_BUILD_TYPE=Release",
                 "-DDUEL_TESTS=OFF", "-DDUEL_BENCH=OFF", "-DDUEL_PAGES=OFF",
                 "-DDUEL_BUILD_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
    try:
        import pybind11
    except ImportError:
        pass  # the system's, then, which CMake finds by itself
    else:
        configure.append(f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")
    subprocess.run(configure, check=True, stdout=sys.stderr)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    subprocess.run(["cmake", "--build", str(tree), "--target", "duel_python", "--parallel", jobs],
                   check=True, stdout=sys.stderr)
    return tree


def _package(tree: pathlib.Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted((ROOT / "python" / "duel").rglob("*")):
        if file.suffix in (".py", ".pyi") or file.name == "py.typed":
            yield file.relative_to(ROOT / "python").as_posix(), file.read_bytes()
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    native = tree / "python" / "duel" / f"_native{suffix}"
    if not native.exists():
        raise RuntimeError(f"{native} was not built: the tree is of another Python")
    yield f"duel/{native.name}", native.read_bytes()


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """pybind11 from the index, where the system has none."""
    for folder in ("/usr/lib/cmake/pybind11", "/usr/share/cmake/pybind11",
                   "/usr/local/share/cmake/pybind11", "/opt/homebrew/share/cmake/pybind11"):
        if os.path.exists(folder):
            return []
    return ["pybind11>=2.10"]


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return []


def build_wheel(wheel_directory: str, config_settings: Any = None,
                metadata_directory: Any = None) -> str:
    name = f"duel-{_version()}"
    info = f"{name}.dist-info"
    files = list(_package(_build()))
    files.append((f"{info}/METADATA", _metadata().encode()))
    files.append((f"{info}/WHEEL", _wheel_file().encode()))
    files.append((f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes()))
    record = []
    for path, content in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        record.append(f"{path},sha256={digest},{len(content)}")
    record.append(f"{info}/RECORD,,")
    files.append((f"{info}/RECORD", ("\n".join(record) + "\n").encode()))

    wheel = f"{name}-{_tag()}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files:
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """The sources that git knows; PKG-INFO beside them."""
    name = f"duel-{_version()}"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True,
                            capture_output=True).stdout
    files = sorted(path for path in listed.decode().split("\0") if path)
    archive_name = f"{name}.tar.gz"
    with tarfile.open(os.path.join(sdist_directory, archive_name), "w:gz",
                      format=tarfile.PAX_FORMAT) as archive:
        content = _metadata().encode()
        entry = tarfile.TarInfo(f"{name}/PKG-INFO")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
        for path in files:
            if (ROOT / path).is_file():
                archive.add(ROOT / path, f"{name}/{path}", recursive=False)
    return archive_name
