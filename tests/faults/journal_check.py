"""What the clients wrote down against what the server kept.

Nothing here asks the server. A journal is what one client did, in its own words, written before
and after each request. The log is what the server exports. `violations` says where the two cannot
both be true; it is the judge of every scenario, and `self_test` proves that it can say no.
"""

import json

COUNTED = ("applied", "duplicate")


class Journals:
    """What all clients did, by duel."""

    def __init__(self, events):
        self.asked = set()
        self.served = {}
        self.differing = []
        self.reported = {}
        self.acknowledged = {}
        for event in events:
            duel = event["duel"]
            kind = event["event"]
            if kind == "asked":
                self.asked.add(duel)
            elif kind == "served":
                first = self.served.setdefault(duel, event["arms"])
                if first != event["arms"]:
                    self.differing.append((duel, first, event["arms"]))
            elif kind == "reported":
                self.reported[duel] = (event["result"], event.get("winner"))
            elif kind == "acknowledged":
                self.acknowledged[duel] = event["status"]


def read_events(paths):
    events = []
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                # The last line may be half written, if its client writes at this moment.
                if line.endswith("\n"):
                    events.append(json.loads(line))
    return events


def tally(records):
    """The log's own count: served duels, and for each arm wins, losses and ties."""
    arms = {}
    pair_of = {}
    open_duels = set()
    served = 0
    for record in records:
        kind = record["record"]
        if kind == "serve":
            served += 1
            pair_of[record["duel_id"]] = (record["first"], record["second"])
            open_duels.add(record["duel_id"])
        elif kind == "expired":
            open_duels.discard(record["duel_id"])
        elif kind == "outcome" and record["duel_id"] in open_duels:
            open_duels.discard(record["duel_id"])
            first, second = pair_of[record["duel_id"]]
            if record["result"] == "tie":
                for arm in (first, second):
                    arms.setdefault(arm, [0, 0, 0])[2] += 1
            elif record["result"] == "win":
                loser = second if record["winner"] == first else first
                arms.setdefault(record["winner"], [0, 0, 0])[0] += 1
                arms.setdefault(loser, [0, 0, 0])[1] += 1
    return served, arms


def violations(before, after, records, result=None, lost_serves=False):
    """`before`: journals as they were before the export began; `after`: when it had ended.

    `lost_serves`: a loss of power may have taken serves, so that a duel that is asked for again may
    be another one.
    """
    found = []
    serves = {}
    outcomes = {}
    expired = {}
    previous = ""
    for position, record in enumerate(records, start=1):
        if record["seq"] != position:
            found.append(f"record {position} of the log bears the number {record['seq']}")
        if record["time"] < previous:
            found.append(f"record {position} is of {record['time']}, after one of {previous}")
        previous = record["time"]
        kind = record["record"]
        if kind == "serve":
            serves.setdefault(record["duel_id"], []).append((record["first"], record["second"]))
        elif kind == "outcome":
            said = (record["result"], record.get("winner"))
            outcomes.setdefault(record["duel_id"], []).append((position, said))
        elif kind == "expired":
            expired[record["duel_id"]] = position

    for duel, arms in serves.items():
        if len(arms) > 1:
            found.append(f"duel {duel} is in the log {len(arms)} times")
        if duel not in after.asked:
            found.append(f"duel {duel} is in the log, and nobody asked for it")
        if not lost_serves and duel in after.served and list(arms[0]) != after.served[duel]:
            found.append(f"duel {duel} was {after.served[duel]} to its client, and is {arms[0]}")
    for duel, told in outcomes.items():
        if len(told) > 1:
            found.append(f"duel {duel} has {len(told)} outcomes")
        if duel not in after.reported:
            found.append(f"duel {duel} has an outcome that nobody reported")
        elif told[0][1] != after.reported[duel]:
            found.append(f"duel {duel} has {told[0][1]}, and {after.reported[duel]} was reported")

    for duel in before.served:
        if not lost_serves and duel not in serves:
            found.append(f"duel {duel} was served, and is not in the log")
    for duel, status in before.acknowledged.items():
        if status == "ignored":
            continue
        if duel not in outcomes:
            found.append(f"the outcome of {duel} was acknowledged ({status}), and is lost")
        elif status in COUNTED and expired.get(duel, outcomes[duel][0][0]) < outcomes[duel][0][0]:
            found.append(f"the outcome of {duel} was {status}, and counts as late")
    if not lost_serves:
        for duel, first, again in after.differing:
            found.append(f"duel {duel} was {first}, and {again} when it was asked for again")

    if result is not None:
        served, arms = tally(records)
        if result["duels"]["served"] != served:
            found.append(f"the result says {result['duels']['served']} duels, the log {served}")
        for arm in result["arms"]:
            said = [arm["wins"], arm["losses"], arm["ties"]]
            counted = arms.get(arm["arm_id"], [0, 0, 0])
            if said != counted:
                found.append(f"the result gives {arm['arm_id']} {said}, the log {counted}")
    return found


def self_test(before, after, records, result):
    """Each way to lie about a true run must be seen. Returns the lies that were not."""
    if violations(before, after, records, result):
        return ["a run without violations"]
    position = next(
        k
        for k, record in enumerate(records)
        if record["record"] == "outcome"
        and record["result"] == "win"
        and before.acknowledged.get(record["duel_id"]) in COUNTED
    )
    outcome = records[position]
    serve = next(
        k
        for k, record in enumerate(records)
        if record["record"] == "serve" and record["duel_id"] == outcome["duel_id"]
    )
    pair = (records[serve]["first"], records[serve]["second"])
    other = pair[0] if outcome["winner"] == pair[1] else pair[1]

    def numbered(lines):
        return [dict(line, seq=k) for k, line in enumerate(lines, start=1)]

    head, tail = records[:position], records[position + 1 :]
    lies = {
        "an acknowledged outcome is lost": numbered(head + tail),
        "an outcome is there twice": numbered(head + [outcome, outcome] + tail),
        "an outcome has another winner": head + [dict(outcome, winner=other)] + tail,
        "an outcome is of a duel that nobody asked for": head
        + [dict(outcome, duel_id="nobody")]
        + tail,
        "an acknowledged outcome came after its duel expired": numbered(
            head + [dict(outcome, record="expired"), outcome] + tail
        ),
        "a serve is lost": numbered(records[:serve] + records[serve + 1 :]),
        "a serve has other arms": records[:serve]
        + [dict(records[serve], first=pair[1], second=pair[0])]
        + records[serve + 1 :],
        "a record is missing, and the numbers show it": head + tail,
    }
    missed = [lie for lie, lines in lies.items() if not violations(before, after, lines, result)]
    doubled = json.loads(json.dumps(result))
    doubled["arms"][0]["wins"] += 1
    if not violations(before, after, records, doubled):
        missed.append("the result counts a win twice")
    # Without the result the log alone must give the first two away.
    for lie in ("an acknowledged outcome is lost", "an outcome is there twice"):
        if not violations(before, after, lies[lie]):
            missed.append(f"{lie} (by the log alone)")
    return missed
