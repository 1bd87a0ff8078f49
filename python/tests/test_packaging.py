"""The wheel and the installed tree work in an environment of their own."""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile

import pytest

SOURCE = pathlib.Path(os.environ["DUEL_SOURCE_DIR"])
TREE = os.environ.get("DUEL_BUILD_DIR")
STORY = ("import duel; assert duel.simulate('arxiv', 'rucb', rounds=100, trials=2).trials == 2; "
         "print(duel.__file__)")


def outside():
    """The environment without the package of the build tree."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


@pytest.mark.skipif(TREE is None, reason="DUEL_BUILD_DIR does not name a build tree")
def test_the_wheel_is_built_and_imported_in_a_fresh_environment(tmp_path):
    pytest.importorskip("pip", reason="python3-pip is not installed")
    # A wheel of the tree that is built already; without DUEL_BUILD_DIR all would be compiled again.
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps",
                    "--no-index", "-w", str(tmp_path), str(SOURCE)], check=True, env=outside())
    (wheel,) = tmp_path.glob("duel-*.whl")
    venv.create(tmp_path / "env", system_site_packages=True, with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index",
                    "--no-deps", str(wheel)], check=True, env=outside())
    said = subprocess.check_output([python, "-c", STORY], text=True, env=outside(), cwd=tmp_path)
    assert said.startswith(str(tmp_path / "env"))


@pytest.mark.skipif(TREE is None, reason="DUEL_BUILD_DIR does not name a build tree")
def test_the_installed_tree_has_the_package_where_python_looks(tmp_path):
    subprocess.run(["cmake", "--install", TREE, "--prefix", str(tmp_path), "--component", "python"],
                   check=True, stdout=subprocess.DEVNULL)
    (package,) = tmp_path.glob("lib/python*/*-packages/duel")
    assert (package / "py.typed").exists() and (package / "_native.pyi").exists()
    environment = dict(outside(), PYTHONPATH=str(package.parent))
    said = subprocess.check_output([sys.executable, "-c", STORY], text=True, env=environment,
                                   cwd=tmp_path)
    assert said.startswith(str(package))


def made_by_pip(folder, *arguments):
    pytest.importorskip("pip", reason="python3-pip is not installed")
    subprocess.run([sys.executable, "-m", "pip", *arguments], check=True, env=outside(),
                   cwd=folder, stdout=subprocess.DEVNULL)


def fresh(folder, *arguments, system=True):
    """The Python of a new environment with something installed in it."""
    venv.create(folder, system_site_packages=system, with_pip=False)
    python = folder / "bin" / "python"
    made_by_pip(folder, "--python", str(python), "install", "--no-index", "--no-deps",
                "--no-build-isolation", *arguments)
    return python


@pytest.mark.skipif(TREE is None, reason="DUEL_BUILD_DIR does not name a build tree")
def test_an_editable_installation_is_the_sources(tmp_path):
    python = fresh(tmp_path / "env", "-e", str(SOURCE))
    said = subprocess.check_output([python, "-c", STORY], text=True, env=outside(), cwd=tmp_path)
    assert pathlib.Path(said.strip()).resolve() == SOURCE / "python" / "duel" / "__init__.py"


@pytest.mark.skipif(TREE is None, reason="DUEL_BUILD_DIR does not name a build tree")
def test_the_wheel_holds_its_libraries_and_says_what_it_is(tmp_path):
    if shutil.which("patchelf") is None:
        pytest.skip("patchelf is not installed")
    made_by_pip(tmp_path, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", ".",
                str(SOURCE))
    (wheel,) = tmp_path.glob("duel-*-manylinux_*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (text,) = [archive.read(name).decode() for name in names if name.endswith("/METADATA")]
        archive.extractall(tmp_path / "unpacked")
    for line in ("License-Expression: MIT", "License-File: LICENSE", "4 - Beta",
                 "Programming Language :: Python :: 3.9\n", "Requires-Dist: numpy",
                 "Typing :: Typed", "Summary: ",
                 "Keywords: ", "Requires-Dist: pandas; extra == 'frames'"):
        assert line in text
    held = {name.partition("/")[2] for name in names if name.startswith("duel.libs/")}
    assert any("sqlite" in name for name in held)
    # Every library that is no part of the C library's is that of the wheel.
    for module in [*(tmp_path / "unpacked" / "duel").glob("*.so"),
                   *(tmp_path / "unpacked" / "duel.libs").iterdir()]:
        for line in subprocess.check_output(["ldd", str(module)], text=True).splitlines():
            words = line.split()
            if "=>" not in words:
                continue
            ours = str(tmp_path) in " ".join(words[2:3])
            system = words[0].partition(".so")[0] in ("libc", "libm", "libstdc++", "libgcc_s",
                                                      "libdl", "libpthread", "librt")
            assert ours != system, line


def test_the_client_alone_needs_no_native_module(tmp_path):
    python = fresh(tmp_path / "env", str(SOURCE / "python" / "client"), system=False)
    story = ("import sys, duel_client; c = duel_client.Client('http://127.0.0.1:1', patience=0)\n"
             "try: c.version()\n"
             "except duel_client.OutOfReach as error: print(error.where)\n"
             "assert not {'duel', 'numpy'} & set(sys.modules)")
    said = subprocess.check_output([python, "-c", story], text=True, env=outside(), cwd=tmp_path)
    assert said.strip() == "http://127.0.0.1:1"


def test_the_source_archive_of_the_client_builds(tmp_path):
    sys.path.insert(0, str(SOURCE / "python" / "client"))
    try:
        import build_client
    finally:
        sys.path.pop(0)
    archive = build_client.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / archive) as opened:
        opened.extractall(tmp_path)
    made_by_pip(tmp_path, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", ".",
                str(tmp_path / archive.removesuffix(".tar.gz")))
    (wheel,) = tmp_path.glob("duel_client-*-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as made:
        (text,) = [made.read(name).decode() for name in made.namelist()
                   if name.endswith("/METADATA")]
        # What the metadata names is there (PEP 639).
        (licence,) = [line.split(": ")[1] for line in text.splitlines()
                      if line.startswith("License-File: ")]
        assert [name for name in made.namelist() if name.endswith(f"/licenses/{licence}")]
    assert "License-Expression: MIT" in text and "4 - Beta" in text
    assert "Programming Language :: Python :: 3.9\n" in text


def test_a_missing_native_module_says_how_to_build_it(tmp_path):
    shutil.copytree(SOURCE / "python" / "duel", tmp_path / "duel")
    said = subprocess.run([sys.executable, "-c", "import duel"], capture_output=True, text=True,
                          cwd=tmp_path, env=outside())
    assert said.returncode != 0
    for words in ("ImportError", "pip install .", "scripts/build release", "duel-client"):
        assert words in said.stderr
