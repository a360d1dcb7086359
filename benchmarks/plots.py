"""The plots in the README, drawn from a kept run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.engine import SIZES
from benchmarks.record import RESULTS, Record
from benchmarks.report import short, title

COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
)  # told apart by most people who do not see all colours
GREY = "#777777"
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "isle_envs",
    "svg.fonttype": "none",  # text stays text: a tenth of the size
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica", "Arial", "DejaVu Sans", "sans-serif"],
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
FACES = (
    "vector 1024, bare",
    "vector 64, bare",
    "vector 64, defaults",
    "raw_env()",
    "env()",
    "step, unwrapped",
    "step, made",
)
PEERS = (
    "Gymnasium CartPole, vector 1024",
    "Gymnasium CartPole, vector 64",
    "Gymnasium CartPole, step, made",
    "OpenSpiel connect four, rl_environment",
    "PettingZoo connect four, raw_env()",
    "PettingZoo connect four, env()",
    "PettingZoo chess, env()",
)


def write(record: Record, folder: Path = RESULTS.parent) -> None:
    """Writes ``batch.svg`` and ``faces.svg``."""
    with mpl.rc_context(STYLE):
        for name, figure in (("batch", _batch(record)), ("faces", _faces(record))):
            words = {"Date": None, "Creator": None, "Description": f"data {digest(record)}"}
            figure.savefig(folder / f"{name}.svg", format="svg", metadata=words, facecolor="white", bbox_inches="tight")


def digest(record: Record) -> str:
    """What the plots are drawn from, in short: it stands in their files."""
    rates = [(rate["game"], rate["name"], rate["median"], rate["low"], rate["high"]) for rate in record.data["rates"]]
    return hashlib.sha256(json.dumps(rates).encode()).hexdigest()[:16]


def _batch(record: Record) -> Figure:
    """Decisions a second over the batch size."""
    figure = Figure((7.5, 3.4))
    axes = figure.subplots()
    for colour, game in zip(COLOURS, record.games, strict=False):
        _line(axes, record, game, "batch {}", color=colour, label=title(game))
        _line(axes, record, game, "batch {}, observed", color=colour, linestyle="--")
        _line(axes, record, game, "batch {}, two threads", color=colour, linestyle="", marker="^")
    _line(axes, record, "isla", "hand-written C, batch {}", color=GREY, marker="x", label="Isla, hand-written C")
    axes.plot([], [], color="black", linestyle="--", label="with raw observations")
    axes.plot([], [], color="black", linestyle="", marker="^", label="two threads")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(SIZES, [f"{n:,}" for n in SIZES])
    axes.minorticks_off()
    _rates_axis(axes.yaxis, (0.25e6, 0.5e6, 1e6, 2e6, 4e6, 8e6, 16e6), axes.set_ylim, axes.get_ylim())
    axes.set_xlabel("games in the batch")
    axes.set_title("Random decisions a second, inside one call, one core", fontsize=10, loc="left")
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return figure


def _line(axes: Any, record: Record, game: str, name: str, **how: Any) -> None:
    found = [(n, rate) for n in SIZES if (rate := record.of(game, name.format(n))) is not None]
    if not found:
        return
    middle = [rate["median"] for _, rate in found]
    down = [rate["median"] - rate["low"] for _, rate in found]
    up = [rate["high"] - rate["median"] for _, rate in found]
    how = {"marker": ".", "linewidth": 1.2, "markersize": 5, "elinewidth": 0.6} | how
    axes.errorbar([n for n, _ in found], middle, (down, up), **how)


def _faces(record: Record) -> Figure:
    """Steps a second of the environments, each game a dot, beside others."""
    rows = [(name, [record.rate(game, name) for game in record.games]) for name in FACES]
    ours = [(f"Isle Envs, {name}", rates) for name, rates in rows if any(rates)]
    others = [(name, rate) for name in PEERS if (rate := record.peer(name)) is not None]
    names = [name for name, _ in ours] + [name for name, _ in others]
    figure = Figure((7.5, 0.8 + 0.22 * max(1, len(names))))
    axes = figure.subplots()
    for index, (colour, game) in enumerate(zip(COLOURS, record.games, strict=False)):
        dots = [(rate, row) for row, (_, rates) in enumerate(ours) if (rate := rates[index]) is not None]
        axes.plot([x for x, _ in dots], [y for _, y in dots], "o", color=colour, label=title(game), markersize=5)
    rest = [(rate, len(ours) + row) for row, (_, rate) in enumerate(others)]
    axes.plot([x for x, _ in rest], [y for _, y in rest], "D", color=GREY, label="others", markersize=5)
    axes.set_xscale("log")
    axes.minorticks_off()
    _rates_axis(axes.xaxis, (1e3, 1e4, 1e5, 1e6, 1e7), axes.set_xlim, axes.get_xlim())
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(alpha=0.3)
    axes.set_title("Agent steps or turns a second, legal random choices, one core", fontsize=10, loc="left")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return figure


def _rates_axis(axis: Any, ticks: tuple[float, ...], set_limits: Any, limits: tuple[float, float]) -> None:
    shown = [tick for tick in ticks if limits[0] / 1.5 <= tick <= limits[1] * 1.5]
    axis.set_ticks(shown, labels=[short(tick).replace(".00", "").replace(".0 ", " ") for tick in shown])
    set_limits(*limits)
