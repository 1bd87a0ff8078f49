"""Duel: dueling bandits, from simulation to certified experiments.

    import duel
    out = duel.simulate("arxiv", ["rmed1", "rucb", "dts"], rounds=10**6, trials=100)
    exp = duel.Experiment(["a", "b", "c"], log="run.jsonl")

``help(duel.policies.rucb)`` shows a policy; docs/python.md is the guide.
"""

try:
    from . import _native
except ImportError as error:
    raise ImportError(
        f"the native module of duel cannot be loaded ({error}); in the sources of Duel "
        "`python3 -m pip install .` builds and installs it, `scripts/build release` builds it in "
        "build/release/python, which then belongs on PYTHONPATH; for the client of a server alone "
        "install duel-client, which needs none") from error

from . import _boundary

_boundary.speak_plainly()

from . import client, clicks, errors, interleave, learn, letor, metrics
from ._answers import BOTH_BAD, FIRST, SECOND, SKIP, TIE, Answer
from ._estimation import Estimate, estimate
from ._experiment import (Experiment, Judge, ServedDuel, bradley_terry, result, run, run_async,
                          verify)
from ._gate import GateCandidate, GateResult, gate
from ._matrix import PreferenceMatrix, named_matrices
from ._native import Duel, Policy
from ._native import version as __version__
from ._planning import League, Plan, league, plan
from ._policies import policies, register_policy
from ._progress import ProgressBar
from ._result import BoardRow, ExperimentResult, HealthCheck, Obstacle
from ._simulation import SimulationResult, simulate
from ._tuning import Guess, Pair, Study, tune
from .client import AsyncClient, Client, OutOfReach, ServerError
from .learn import PointLearner, dbgd
from .errors import (Conflict, Error, FreshAnswersWarning, InternalError, Interrupted,
                     InvalidArgument, InvalidData, JudgeFailed, NotFound, RunInterrupted,
                     StorageError, Unsupported)

__all__ = ["Answer", "AsyncClient", "BOTH_BAD", "BoardRow", "Client", "Conflict", "Duel", "Error",
           "Estimate", "Experiment", "ExperimentResult", "FIRST", "FreshAnswersWarning", "GateCandidate",
           "GateResult", "Guess", "HealthCheck", "InternalError", "Interrupted", "InvalidArgument", "InvalidData",
           "Judge", "JudgeFailed", "League", "NotFound", "Obstacle", "OutOfReach", "Pair", "Plan",
           "PointLearner", "Policy", "PreferenceMatrix", "ProgressBar", "RunInterrupted", "SECOND",
           "SKIP", "ServedDuel", "ServerError", "SimulationResult", "StorageError", "Study", "TIE",
           "Unsupported", "bradley_terry", "clicks", "client", "dbgd", "errors", "estimate",
           "gate", "interleave", "league", "learn", "letor", "metrics", "named_matrices", "plan",
           "policies", "register_policy", "result", "run", "run_async", "simulate", "tune", "verify"]
