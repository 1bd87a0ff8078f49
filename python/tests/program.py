"""The program `duel` that was built with the module. DUEL_PROGRAM names it."""

import json
import os
import subprocess

PROGRAM = os.environ.get("DUEL_PROGRAM", "duel")


def ask(*arguments):
    """What the program prints as JSON."""
    return json.loads(subprocess.check_output([PROGRAM, *map(str, arguments)]))


def without_times(value):
    """Without what depends on the clock."""
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items()
                if "seconds" not in key and "per_second" not in key}
    if isinstance(value, list):
        return [without_times(item) for item in value]
    return value
