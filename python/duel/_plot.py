"""Figures, with matplotlib where it is installed."""

from __future__ import annotations

from typing import Any


def axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot
    except ImportError:
        raise ImportError("plots need matplotlib (Debian: python3-matplotlib)") from None
    return matplotlib.pyplot.subplots(figsize=(7, 4.5))[1]


def plot_simulation(result: Any, ax: Any, notion: str | None, scale: str) -> Any:
    import numpy

    ax = axes(ax)
    name = notion or result.notions[0]
    if name not in result.regrets:
        raise ValueError(f"there is no {name} regret here; there is {', '.join(result.notions)}")
    rounds = result.rounds.astype(float)
    for policy, values in zip(result.policies, result.regrets[name]):
        mean = values.mean(axis=0)
        (line,) = ax.plot(rounds, mean, label=policy)
        if len(values) > 1:
            band = 2 * values.std(axis=0, ddof=1) / numpy.sqrt(len(values))
            ax.fill_between(rounds, mean - band, mean + band, color=line.get_color(), alpha=0.2,
                            linewidth=0)
    bound = result.to_dict().get("lower_bound")
    if bound and name == "average":
        later = rounds[rounds > 1]  # ln 1 is no point of a logarithmic axis
        ax.plot(later, bound * numpy.log(later), "k--", linewidth=1, label="lower bound")
    ax.set_xscale(scale)
    ax.set_xlabel("round")
    ax.set_ylabel(f"{name} regret (mean, ± 2 standard errors)")
    ax.set_title(f"{result.to_dict()['matrix']}, {result.trials} trials")
    ax.legend(frameon=False)
    return ax


def plot_result(result: Any, ax: Any) -> Any:
    """Strengths of the arms with their intervals, or the places that are open where none are fitted.

    A policy shows strong arms to each other, so that the share an arm has won says little of it.
    """
    ax = axes(ax)
    arms = list(reversed(result.to_dict()["arms"]))
    # By places, since two arms of a log may have one name.
    places = range(len(arms))
    if all(arm["elo"] is not None for arm in arms):
        elo = [arm["elo"] for arm in arms]
        reach = [[arm["elo"] - arm["elo_interval"][0] for arm in arms],
                 [arm["elo_interval"][1] - arm["elo"] for arm in arms]]
        ax.errorbar(elo, places, xerr=reach, fmt="o", color="#4477aa", capsize=3)
        ax.axvline(0, color="black", linewidth=1, linestyle="--")
        ax.set_xlabel("strength in Elo points, 0 for the average arm (95 % intervals)")
    else:
        best = [arm["rank_range"][0] for arm in arms]
        open_places = [arm["rank_range"][1] - arm["rank_range"][0] for arm in arms]
        ax.barh(places, open_places, left=best, height=0.3, color="#4477aa")
        ax.plot(best, places, "|", color="#4477aa")
        ax.set_xlabel("places that the evidence leaves open")
    ax.set_yticks(list(places))
    ax.set_yticklabels([arm["name"] for arm in arms])
    ax.set_title(result.headline, loc="left", fontsize=9, wrap=True)
    return ax
