"""The wheel and the installed tree work in an environment of their own."""

import os
import pathlib
import subprocess
import sys
import venv

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
