"""Builds the wheel and the source archive of the Python package (PEP 517, and PEP 660 for
`pip install -e .`), with CMake and the standard library alone, so that it works offline with what
Debian packages.

    python3 -m pip wheel --no-build-isolation --no-deps .
    python3 -m build --wheel --no-isolation
    python3 -m pip install --no-build-isolation --no-deps -e .

DUEL_BUILD_DIR names a tree that is built already; without it one is built in build/wheel.

With patchelf the wheel holds the libraries that the native module needs, so that it runs where they
are not installed; without it the wheel needs those of this machine, and its tag says so.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from typing import Any, Iterable, Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Archives must not depend on when they are made.
EPOCH = (1980, 1, 1, 0, 0, 0)
LICENCE = "LICENSE"


def _version() -> str:
    found = re.search(r"^\s*VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text(), re.M)
    if found is None:
        raise RuntimeError("CMakeLists.txt names no version")
    return found.group(1)


def _tag(holds_libraries: bool) -> str:
    """What the wheel runs on. With its libraries inside only the C library has to be as new."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[^A-Za-z0-9]", "_", sysconfig.get_platform())
    if holds_libraries:
        glibc = (os.confstr("CS_GNU_LIBC_VERSION") or "").split()[-1].split(".")
        platform = f"manylinux_{glibc[0]}_{glibc[1]}_{os.uname().machine}"
    return f"{python}-{python}-{platform}"


def entries(text: str, names: Iterable[str]) -> dict[str, str]:
    """Entries of pyproject.toml. It is read by lines: Python 3.9 has no tomllib."""
    found = {}
    for name in names:
        line = re.search(rf'^{name} = "(.*)"$', text, re.M)
        if line is None:
            raise RuntimeError(f"pyproject.toml has no {name}")
        found[name] = line.group(1)
    return found


def listed(text: str, name: str) -> list[str]:
    """The texts of a list in pyproject.toml."""
    found = re.search(rf"^{name} = \[(.*?)\]", text, re.M | re.S)
    return re.findall(r'"([^"]*)"', found.group(1)) if found else []


def metadata(project: str, version: str, readme: str) -> str:
    """The core metadata of a pyproject.toml."""
    entry = entries(project, ("name", "description", "requires-python", "license"))
    # 2.4 is the first with an expression for the licence, and with its file in licenses/.
    lines = ["Metadata-Version: 2.4", f"Name: {entry['name']}", f"Version: {version}",
             f"Summary: {entry['description']}", f"License-Expression: {entry['license']}",
             f"License-File: {LICENCE}",
             f"Keywords: {','.join(listed(project, 'keywords'))}",
             f"Requires-Python: {entry['requires-python']}"]
    lines += [f"Classifier: {classifier}" for classifier in listed(project, "classifiers")]
    lines += [f"Requires-Dist: {needed}" for needed in listed(project, "dependencies")]
    extras = project.partition("[project.optional-dependencies]")[2]
    for extra, needed in re.findall(r'^(\w+) = \["(.*)"\]$', extras, re.M):
        lines += [f"Provides-Extra: {extra}", f"Requires-Dist: {needed}; extra == '{extra}'"]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def _licence() -> bytes:
    return (ROOT / LICENCE).read_bytes()


def _metadata() -> str:
    return metadata((ROOT / "pyproject.toml").read_text(), _version(),
                    (ROOT / "README.md").read_text())


def _wheel_file(tag: str, is_pure: bool) -> str:
    pure = "true" if is_pure else "false"
    return f"Wheel-Version: 1.0\nGenerator: duel\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"


def _build() -> pathlib.Path:
    """Builds the native module and gives the tree it is in."""
    given = os.environ.get("DUEL_BUILD_DIR")
    if given:
        return pathlib.Path(given)
    tree = ROOT / "build" / "wheel"
    configure = ["cmake", "-S", str(ROOT), "-B", str(tree), "-DCMAKE_BUILD_TYPE=Release",
                 "-DDUEL_TESTS=OFF", "-DDUEL_BENCH=OFF", "-DDUEL_PAGES=OFF",
                 "-DDUEL_POSTGRES=OFF",  # its library brings twenty others
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


# What every Linux with that C library has (PEP 600).
_OF_THE_SYSTEM = re.compile(r"^(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)|ld-linux[\w-]*)\.so")


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _libraries_of(native: pathlib.Path) -> dict[str, pathlib.Path]:
    """The shared libraries that a module needs, and those that these need, by name."""
    found = {}
    for line in _said("ldd", str(native)).splitlines():
        words = line.split()
        if len(words) >= 3 and words[1] == "=>" and not _OF_THE_SYSTEM.match(words[0]):
            if words[2] == "not":
                raise RuntimeError(f"{native} needs {words[0]}, which is not installed")
            found[words[0]] = pathlib.Path(words[2])
    return found


def _with_libraries(native: pathlib.Path) -> Iterator[tuple[str, bytes]]:
    """The module and its libraries, which find each other wherever they are installed.

    Each library gets a name of its own, so that it is not taken for one that the process has.
    """
    libraries = _libraries_of(native)
    names = {}
    for name, path in libraries.items():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
        stem, _, rest = name.partition(".so")
        names[name] = f"{stem}-{digest}.so{rest}"
    with tempfile.TemporaryDirectory() as folder:
        def changed(path: pathlib.Path, name: str, rpath: str) -> bytes:
            copy = pathlib.Path(folder) / name
            shutil.copy(path, copy)
            copy.chmod(0o755)
            needed = _said("patchelf", "--print-needed", str(copy)).split()
            replaced = [part for library in needed if library in names
                        for part in ("--replace-needed", library, names[library])]
            # One thing at a time: patchelf 0.14 forgets the first of two.
            if replaced:
                _said("patchelf", *replaced, str(copy))
            if name in names.values():
                _said("patchelf", "--set-soname", name, str(copy))
            _said("patchelf", "--set-rpath", rpath, str(copy))
            return copy.read_bytes()

        yield f"duel/{native.name}", changed(native, native.name, "$ORIGIN/../duel.libs")
        for name, path in libraries.items():
            yield f"duel.libs/{names[name]}", changed(path, names[name], "$ORIGIN")


def _native_of(tree: pathlib.Path) -> pathlib.Path:
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    native = tree / "python" / "duel" / f"_native{suffix}"
    if not native.exists():
        raise RuntimeError(f"{native} was not built: the tree is of another Python")
    return native


def _package(native: pathlib.Path, holds_libraries: bool) -> Iterator[tuple[str, bytes]]:
    for file in sorted((ROOT / "python" / "duel").rglob("*")):
        if file.suffix in (".py", ".pyi") or file.name == "py.typed":
            yield file.relative_to(ROOT / "python").as_posix(), file.read_bytes()
    if holds_libraries:
        yield from _with_libraries(native)
    else:
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


get_requires_for_build_editable = get_requires_for_build_wheel


def write_wheel(directory: str, name: str, tag: str, files: Iterable[tuple[str, bytes]],
                text: str, licence: bytes, is_pure: bool = False) -> str:
    """Writes a wheel of these files and gives its name. `name` is NAME-VERSION."""
    info = f"{name}.dist-info"
    content = [*files, (f"{info}/METADATA", text.encode()),
               (f"{info}/WHEEL", _wheel_file(tag, is_pure).encode()),
               (f"{info}/licenses/{LICENCE}", licence)]
    record = []
    for path, data in content:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        record.append(f"{path},sha256={digest},{len(data)}")
    record.append(f"{info}/RECORD,,")
    content.append((f"{info}/RECORD", ("\n".join(record) + "\n").encode()))

    wheel = f"{name}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in content:
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.external_attr = (0o755 if ".so" in path else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build_wheel(wheel_directory: str, config_settings: Any = None,
                metadata_directory: Any = None) -> str:
    native = _native_of(_build())
    holds_libraries = shutil.which("patchelf") is not None
    if not holds_libraries:
        print("duel: patchelf is not installed, so the wheel needs the libraries of this machine",
              file=sys.stderr)
    return write_wheel(wheel_directory, f"duel-{_version()}", _tag(holds_libraries),
                       _package(native, holds_libraries), _metadata(), _licence())


def build_editable(wheel_directory: str, config_settings: Any = None,
                   metadata_directory: Any = None) -> str:
    """A wheel that points to the build tree, where the package is links to its sources."""
    tree = _build()
    _native_of(tree)
    path = str((tree / "python").resolve())
    return write_wheel(wheel_directory, f"duel-{_version()}", _tag(False),
                       [("__editable__.duel.pth", f"{path}\n".encode())], _metadata(), _licence())


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """The sources that git knows; PKG-INFO beside them."""
    name = f"duel-{_version()}"
    known = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True,
                           capture_output=True).stdout
    files = sorted(path for path in known.decode().split("\0") if path)
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
