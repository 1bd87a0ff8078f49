"""The same bits on every executor. Where a package is missing, the test is skipped and says so."""

import concurrent.futures
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap

import numpy
import pytest

import duel
from duel._simulation import _give_up

# Enough to see a trial out of its place: seven trials in three parts.
WORK = dict(rounds=400, trials=7, seed=21, regret=["average", "weak"])
POLICIES = ["rmed1", "rucb(alpha=0.6)"]


@pytest.fixture(scope="module")
def here():
    return duel.simulate("arxiv", POLICIES, threads=1, **WORK)


def same(one, two):
    assert one.policies == two.policies
    for notion in one.notions:
        assert (one.regrets[notion] == two.regrets[notion]).all()
    assert (one.correct == two.correct).all() and (one.informative == two.informative).all()
    assert (one.mean == two.mean).all() and (one.se == two.se).all()


def test_threads(here):
    with concurrent.futures.ThreadPoolExecutor(3) as executor:
        for shards in (None, 1, 3, 7, 100):
            same(here, duel.simulate("arxiv", POLICIES, executor=executor, shards=shards, **WORK))


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_processes(here, start):
    context = multiprocessing.get_context(start)
    with concurrent.futures.ProcessPoolExecutor(2, context) as executor:
        heard = []
        same(here, duel.simulate("arxiv", POLICIES, executor=executor, shards=3,
                                 progress=lambda done, total: heard.append((done, total)), **WORK))
        assert heard[-1] == (14, 14)
        matrix = duel.PreferenceMatrix("arxiv")
        same(here, duel.simulate(matrix, POLICIES, executor=executor, shards=2, **WORK))
        with pytest.raises(duel.InvalidArgument, match="rucb"):  # an error travels with its hint
            duel.simulate("arxiv", "rucbb", executor=executor, **WORK)


def test_a_pool_ends_after_its_work_was_given_up():
    # Up to Python 3.11 a pool waits for work that was cancelled at the wrong moment: with `cancel`
    # alone one of a few hundred pools never ends.
    for _ in range(100):
        with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
            pool.submit(os.getpid).result()
            _give_up(pool, [pool.submit(os.getpid) for _ in range(7)])


class Sleepy:
    """The first two arms, always."""

    def __init__(self, arms, rng):
        self.rng = rng

    def select(self, round):
        return int(self.rng.integers(2)), 1

    def observe(self, duel, outcome):
        pass


def coin(first, second, u):
    return u < 0.4


def test_python_policies_and_environments_travel():
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as executor:
        policies = [("sleepy", Sleepy), "rucb"]
        same(duel.simulate("arxiv", policies, **WORK),
             duel.simulate("arxiv", policies, executor=executor, shards=3, **WORK))
        one = duel.simulate(coin, policies, rounds=100, trials=5, truth="arxiv")
        two = duel.simulate(coin, policies, rounds=100, trials=5, truth="arxiv", executor=executor)
        same(one, two)


ON_SPAWN = """
import concurrent.futures, multiprocessing, sys
import duel


class Mine:
    def __init__(self, arms, rng, explore=1):
        self.arms, self.rng, self.explore = arms, rng, explore

    def select(self, round):
        return 0, int(self.rng.integers(self.arms)) if self.explore else 0

    def observe(self, duel, outcome):
        pass


if __name__ == "__main__":
    duel.register_policy("mine", Mine)
    work = dict(rounds=200, trials=5, seed=3)
    here = duel.simulate("arxiv", ["mine(explore=0)", "mine", "rucb"], **work)
    if sys.argv[1] == "mpi":
        from mpi4py.futures import MPIPoolExecutor
        executor = MPIPoolExecutor()
    elif sys.argv[1] == "dask":
        import distributed
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                           dashboard_address=None)
        executor = distributed.Client(cluster).get_executor()
    else:
        executor = concurrent.futures.ProcessPoolExecutor(
            2, multiprocessing.get_context(sys.argv[1]))
    there = duel.simulate("arxiv", ["mine(explore=0)", "mine", "rucb"], executor=executor, shards=3,
                          **work)
    assert there.policies == here.policies == ["mine(explore=0)", "mine", "rucb(alpha=0.51)"]
    assert (there.regret == here.regret).all() and (here.regret[0] != here.regret[1]).any()
    executor.shutdown()
    print("same")
"""


@pytest.mark.parametrize("start", ["spawn", "forkserver", "dask"])
def test_a_registered_policy_travels_by_its_name(tmp_path, start):
    if start == "dask":
        pytest.importorskip("distributed", reason="python3-distributed is not installed")
    script = tmp_path / "script.py"
    script.write_text(ON_SPAWN)
    said = subprocess.run([sys.executable, str(script), start], capture_output=True, text=True,
                          timeout=600)
    assert said.stdout == "same\n", said.stderr


def test_simulate_takes_the_list_of_policies_objects_and_no_seed():
    some = duel.policies("total order")
    assert len(some) > 1
    out = duel.simulate("arxiv", some[:2], rounds=100, trials=2)
    assert len(out.policies) == 2 and out.seed == 0
    assert duel.simulate("arxiv", duel.policies["rucb"], rounds=50, trials=2).policies[0][:4] == "rucb"
    own = Sleepy(6, numpy.random.default_rng(1))
    assert duel.simulate("arxiv", [own, duel.Policy("rucb", arms=6)], rounds=50,
                         trials=2).policies[0] == "sleepy"
    one, two = (duel.simulate("arxiv", "rucb", rounds=50, trials=2, seed=None) for _ in range(2))
    assert one.seed != two.seed
    again = duel.simulate("arxiv", "rucb", rounds=50, trials=2, seed=one.seed)
    assert (again.regret == one.regret).all()
    with pytest.raises(duel.InvalidArgument, match="learner"):
        duel.simulate("arxiv", [facts for facts in duel.policies()
                                if facts.kind == "ranker learner"][:1], rounds=50)


def test_dask(here):
    distributed = pytest.importorskip("distributed", reason="python3-distributed is not installed")
    # Processes; a nanny would restart workers that a slow machine makes late.
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            same(here, duel.simulate("arxiv", POLICIES, executor=client.get_executor(), shards=3,
                                     **WORK))


def test_mpi(here, tmp_path):
    pytest.importorskip("mpi4py", reason="python3-mpi4py is not installed")
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun is not installed (openmpi-bin)")
    script = tmp_path / "on_mpi.py"
    script.write_text(textwrap.dedent("""
        import sys
        import numpy, duel
        from mpi4py.futures import MPIPoolExecutor

        if __name__ == "__main__":
            with MPIPoolExecutor() as executor:
                out = duel.simulate("arxiv", ["rmed1", "rucb(alpha=0.6)"], rounds=400, trials=7,
                                    seed=21, regret=["average", "weak"], executor=executor,
                                    shards=3)
            numpy.savez(sys.argv[1], average=out.regrets["average"], weak=out.regrets["weak"])
    """))
    saved = tmp_path / "out.npz"
    command = ["mpirun", "-n", "3", "--oversubscribe", "--bind-to", "none"]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    command += [sys.executable, "-m", "mpi4py.futures", str(script), str(saved)]
    # Containers often lack what the vader transport wants from the kernel.
    # Sessions in a directory of their own, so that another mpirun does not remove it meanwhile,
    # and a short one: tmp_path can be too long for the name of a socket.
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as sessions:
        environment = dict(os.environ, OMPI_MCA_btl_vader_single_copy_mechanism="none",
                           OMPI_MCA_plm_rsh_agent="/bin/false", TMPDIR=sessions)
        subprocess.run(command, check=True, timeout=600, env=environment)
        script.write_text(ON_SPAWN)
        said = subprocess.run([*command[:-1], "mpi"], check=True, timeout=600, env=environment,
                              capture_output=True, text=True)
        assert said.stdout == "same\n"
    arrays = numpy.load(saved)
    for notion in here.notions:
        assert (arrays[notion] == here.regrets[notion]).all()


class Refusing(concurrent.futures.Executor):
    def submit(self, function, /, *arguments, **options):
        future = concurrent.futures.Future()
        future.set_exception(OSError("the cluster is gone"))
        return future


def test_failure_of_an_executor_is_heard():
    with pytest.raises(OSError, match="the cluster is gone"):
        duel.simulate("arxiv", POLICIES, executor=Refusing(), **WORK)
    with pytest.raises(duel.InvalidArgument, match="executor"):
        duel.simulate("arxiv", POLICIES, executor=7, **WORK)
    with pytest.raises(duel.InvalidArgument, match="shards"):
        duel.simulate("arxiv", POLICIES, executor=Refusing(), shards=0, **WORK)
