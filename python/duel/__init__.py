"""Duel: dueling bandits, from simulation to certified experiments.

    import duel
    out = duel.simulate("arxiv", ["rmed1", "rucb", "dts"], rounds=10**6, trials=100)
    exp = duel.Experiment(["a", "b", "c"], log="run.jsonl")

``help(duel.policies.rucb)`` shows a policy; docs/python.md is the guide.
"""

from . import client, clicks, errors, interleave, learn, letor, metrics
from ._estimation import Estimate, estimate
from ._experiment import (Experiment, ExperimentResult, ServedDuel, bradley_terry, league, plan,
                          result, run, verify)
from ._matrix import PreferenceMatrix, named_matrices
from ._native import Duel, Policy
from ._native import version as __version__
from ._policies import policies, register_policy
from ._simulation import ProgressBar, SimulationResult, simulate
from .client import AsyncClient, Client, OutOfReach, ServerError
from .learn import PointLearner, dbgd
from .errors import (Conflict, Error, InternalError, Interrupted, InvalidArgument, InvalidData,
                     NotFound, StorageError, Unsupported)

__all__ = ["AsyncClient", "Client", "Conflict", "Duel", "Error", "Estimate", "Experiment",
           "ExperimentResult", "InternalError", "Interrupted", "InvalidArgument", "InvalidData",
           "NotFound", "OutOfReach", "PointLearner", "Policy", "PreferenceMatrix", "ProgressBar",
           "ServedDuel", "ServerError", "SimulationResult", "StorageError", "Unsupported",
           "bradley_terry", "clicks", "client", "dbgd", "errors", "estimate", "interleave",
           "league", "learn", "letor", "metrics", "named_matrices", "plan", "policies",
           "register_policy", "result", "run", "simulate", "verify"]
