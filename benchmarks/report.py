"""Words and tables about a kept run: in the terminal, on the page ``results.md``, and in the README.

``python -m benchmarks.report`` writes the page, the plots and the README's speed section anew from ``results.json``. Every figure there
comes from that file; a test holds the three to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.record import RESULTS, Record

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGE = RESULTS.with_name("results.md")
START, END, NEXT = "<!-- speed -->\n", "<!-- end of speed -->\n", "\n## Licence"

_FREE = "an environment that costs nothing"
_IDLE = 0.5  # a load up to which a machine may be called idle
_STUDY = {"City of Gold": "5.2 million with observation and mask", "fastcatan": "5.7 million without observation"}


# ------------------------------------------------------------------------------------------------------------- Numbers


def title(game: str) -> str:
    """``isle_tiles`` as "Isle Tiles"."""
    words = game.removesuffix("_solo").split("_")
    return " ".join(word.capitalize() for word in words) + (" alone" if game.endswith("_solo") else "")


def short(value: float | None) -> str:
    """A rate in three significant digits, for readers."""
    if value is None:
        return "–"
    value = float(f"{value:.3g}")
    if value >= 1e6:
        digits = 2 if value < 1e7 else 1 if value < 1e8 else 0
        return f"{value / 1e6:.{digits}f} million"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def percent(ratio: float | None) -> str:
    """A ratio in percent, a tenth where it matters."""
    return "–" if ratio is None else f"{100 * ratio:.1f}%" if 0.9 < ratio < 1 else f"{100 * ratio:.0f}%"


def _span(values: Sequence[float], form: str, unit: str) -> str:
    low, high = format(min(values), form), format(max(values), form)
    return f"{low} {unit}".strip() if low == high else f"{low} to {high} {unit}".strip()


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, [":---" if column == 0 else "---:" for column in range(len(head))], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# --------------------------------------------------------------------------------------------------------- In a terminal


def tables(record: Record) -> str:
    """All rates with their spread, and the goals, for a terminal."""
    rates = record.data["rates"]
    lines = []
    width = max((len(rate["name"]) for rate in rates), default=0)
    for group, game in dict.fromkeys((rate["group"], rate["game"]) for rate in rates):
        lines.append(f"\n{group}{', ' if game else ''}{title(game)}: per second, median (lowest … highest)")
        for rate in rates:
            if (rate["group"], rate["game"]) == (group, game):
                spread = f"({rate['low']:,.0f} … {rate['high']:,.0f})"
                lines.append(f"  {rate['name']:<{width}}  {rate['median']:>12,.0f} {rate['unit']:<11} {spread}")
    goals = record.data["goals"]
    if goals:
        width = max(len(goal["goal"]) for goal in goals)
        lines.append(f"\n{'':<11} {'':<{width}} {'owed':>10} {'then':>10} {'measured':>10}")
        for goal in goals:
            owed, then, measured = (_goal_number(goal[key]) for key in ("owed", "then", "measured"))
            words = "" if goal["owed reached"] else "  not reached"
            name = title(goal["game"]) if goal["game"] else ""
            lines.append(
                f"{name:<11} {goal['goal']:<{width}} {owed:>10} {then:>10} {measured:>10} {goal['unit']}{words}"
            )
    for what, numbers in (("memory", record.data.get("memory", {})), ("starting", record.data.get("starting", {}))):
        if numbers:
            lines.append(f"\n{what}")
            lines += [f"  {name}: {values}" for name, values in numbers.items()]
    return "\n".join(lines) + "\n"


def _goal_number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3f}" if value < 10 else f"{value:.1f}"


# --------------------------------------------------------------------------------------------------------- results.md


def page(record: Record) -> str:
    """All of it, as Markdown."""
    data = record.data
    parts = [
        "# What was measured",
        "Written by `python -m benchmarks.report` from [`results.json`](results.json); not by hand. "
        + _run_words(record),
        "Versions: " + ", ".join(f"{name} {version}" for name, version in data["versions"].items()) + ".",
        "## Goals",
        "What is owed first, what comes then, what was measured. Of the several-player game that the bare engine plays "
        "fastest more is owed than of the others. Ratios are medians over the repeats.",
    ]
    rows = []
    for goal in data["goals"]:
        owed, then, measured = (_goal_number(goal[key]) for key in ("owed", "then", "measured"))
        sign = "≥" if goal["better"] == "higher" else "≤"
        reached = "yes" if goal["owed reached"] else "**no**"
        beyond = "" if goal["then reached"] is None else "yes" if goal["then reached"] else "no"
        name = title(goal["game"]) if goal["game"] else "all"
        rows.append([goal["goal"], name, f"{sign} {owed}", then, f"{measured} {goal['unit']}".strip(), reached, beyond])
    parts.append(_table(["goal", "game", "owed", "then", "measured", "owed reached", "then reached"], rows))
    parts.append("## Rates\n\nPer second: median, lowest and highest of the repeats.")
    rates = data["rates"]
    for group, game in dict.fromkeys((rate["group"], rate["game"]) for rate in rates):
        rows = [
            [rate["name"], *(f"{rate[key]:,.0f}" for key in ("median", "low", "high")), rate["unit"]]
            for rate in rates
            if (rate["group"], rate["game"]) == (group, game)
        ]
        parts.append(f"### {group}{', ' if game else ''}{title(game)}")
        parts.append(_table(["", "median", "lowest", "highest", "unit"], rows))
    if "memory" in data:
        parts.append("## Memory")
        keys = list(dict.fromkeys(key for of in data["memory"].values() for key in of if key != "left out"))
        rows = [[key, *(_bytes(of.get(key)) for of in data["memory"].values())] for key in keys]
        parts.append(_table(["", *map(title, data["memory"])], rows))
    if "starting" in data:
        parts.append("## Starting\n\nSeconds.")
        imports, games = data["starting"]["imports"], data["starting"]["games"]
        parts.append(
            f"Imports: {imports['dependencies']:.2f} of the dependencies, {imports['isle_envs']:.3f} of `isle_envs` itself."
        )
        keys = list(next(iter(games.values())))
        rows = [[key, *(_seconds(of[key]) for of in games.values())] for key in keys]
        parts.append(_table(["", *map(title, games)], rows))
    if data["skipped"]:
        parts.append("## Left out")
        parts.append("\n".join(f"- {what}: {why}" for what, why in data["skipped"].items()))
    return "\n\n".join(parts) + "\n"


def _bytes(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _seconds(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{players}: {seconds:.2f}" for players, seconds in value.items())
    return f"{value:.2f}" if isinstance(value, float) else f"{value}"


# ------------------------------------------------------------------------------------------------------------- README


def section(record: Record) -> str:
    """The README's speed section, between its marks."""
    parts = [
        "Per second, one core unless it says more; the games for two players, and alone. " + _run_words(record),
        _overview(record),
        "![Decisions a second by batch size](benchmarks/batch.svg)",
        _peers(record),
        "![Steps a second of the environments beside others](benchmarks/faces.svg)",
        _prose(record),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _run_words(record: Record) -> str:
    data = record.data
    machine, settings = data["machine"], data["settings"]
    load = machine["load before"]
    busy = f" **The machine was not idle (load {load}).**" if load is not None and load > _IDLE else ""
    return (
        f"Medians of {settings['repeats']} interleaved repeats of {settings['seconds']} s in one run of `make bench` "
        f"({data['date']}, {machine['processor']}, {machine['cores']} cores, {machine['system']}, Python {machine['python']}, "
        f"numba {data['versions'].get('numba', '?')}).{busy}"
    )


def _overview(record: Record) -> str:
    lines = (
        ("batch of 1,024, random play, inside one call", "batch 1024"),
        ("the same with raw observations", "batch 1024, observed"),
        ("one game, inside one call", "batch 1"),
        ("batch of 16,384, two threads", "batch 16384, two threads"),
        ("batch of 1,024, stepped from Python", "self-play 1024"),
        ("batch of 16,384, stepped from Python", "self-play 16384"),
        ("batch of 1,024, stepped and observed from Python", "self-play 1024, observed"),
        ("`make_vec`, 1,024 copies, raw: agent steps", "vector 1024, bare"),
        ("`make_vec`, 64 copies, raw", "vector 64, bare"),
        ("`make_vec`, 1,024 copies, defaults", "vector 1024, defaults"),
        ("PettingZoo `raw_env()`: last, legal choice, step", "raw_env()"),
        ("PettingZoo `env()`", "env()"),
        ("Gymnasium `step`, unwrapped, random opponents inside", "step, unwrapped"),
        ("Gymnasium `step`, made", "step, made"),
        ("MaskablePPO end to end, `isle train`'s settings", "MaskablePPO, isle train, against random"),
        ("the same, an environment that costs nothing", f"MaskablePPO, isle train, {_FREE}"),
    )
    rows = []
    for words, name in lines:
        values = [record.rate(game, name) for game in record.games]
        if "against random" in name:
            alone = name.replace("against random", "alone")
            values = [value or record.rate(game, alone) for value, game in zip(values, record.games, strict=True)]
        if any(value is not None for value in values):
            rows.append([words, *map(short, values)])
    return _table(["", *map(title, record.games)], rows)


def _peers(record: Record) -> str:
    rows = [[rate["name"], short(rate["median"])] for rate in record.data["rates"] if rate["group"] == "peers"]
    rows += [
        [f"{title(rate['game'])}, {rate['name']}", short(rate["median"])]
        for rate in record.data["rates"]
        if rate["group"] == "handwritten"
    ]
    return _table(["others, same run, one core", "per second"], rows) if rows else ""


def _prose(record: Record) -> str:
    sentences = [
        _faster(record),
        _sizes(record),
        _cores(record),
        _by_hand(record),
        _opponents(record),
        _learning(record),
    ]
    sentences += [_memory(record), _starting(record), _missed(record)]
    details = "All figures with their spread: [`benchmarks/results.md`](benchmarks/results.md)."
    return "\n".join([*(f"- {sentence}" for sentence in sentences if sentence), "", details])


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _faster(record: Record) -> str:
    """Where we stand against the fastest packages known."""
    gold = record.peer("City of Gold (C++), 64 games, observed")
    bare = {game: record.rate(game, "batch 64") for game in record.games}
    seen = {game: record.rate(game, "batch 64, observed") for game in record.games}
    known = {game: rate for game, rate in seen.items() if rate is not None}
    if not known or not _known(list(bare.values())):
        return ""
    best = max(known, key=lambda game: known[game])
    fastest = max(_known(list(bare.values())))
    words = (
        f"The fastest packages known are C++: fastcatan ({_STUDY['fastcatan']} in our design study, not measured in this run) "
        f"and City of Gold ({_STUDY['City of Gold']} there"
    )
    words += f", {short(gold)} in this run). " if gold else ", not measured in this run). "
    words += f"Ours do up to {short(fastest)} without observations and {short(known[best])} with them ({title(best)})"
    if gold:
        words += f", {percent(known[best] / gold)} of City of Gold's rate"
    return words + "; they are other games, and a decision of one is not the work of a decision of another."


def _cores(record: Record) -> str:
    names = [f"batch {n}, two" for n in (4096, 16_384)]
    ratios = _known(
        [record.ratio(game, f"{name} threads", f"{name} processes") for game in record.games for name in names]
    )
    return f"Two threads reach {_percents(ratios)} of two independent processes." if ratios else ""


def _sizes(record: Record) -> str:
    inside = _known([record.ratio(game, "batch 16384", "batch 64") for game in record.games])
    outside = _known([record.ratio(game, "self-play 16384", "self-play 64") for game in record.games])
    told = []
    if inside:
        told.append(f"inside one call, where each game plays all its steps before the next one, {_percents(inside)}")
    if outside:
        told.append(f"stepped from Python, all games step by step, {_percents(outside)}")
    return f"16,384 games do, of what 64 do: {'; '.join(told)}." if told else ""


def _percents(ratios: Sequence[float]) -> str:
    low, high = percent(min(ratios)), percent(max(ratios))
    return low if low == high else f"{low} to {high}"


def _by_hand(record: Record) -> str:
    sizes = (64, 1024, 16_384)
    found = {n: record.ratio("isla", f"hand-written C, batch {n}", f"batch {n}") for n in sizes}
    told = [f"{ratio:.2f} times as fast with {n:,} games" for n, ratio in found.items() if ratio is not None]
    return f"Isla written by hand in C is, as against ours, {', '.join(told)}." if told else ""


def _opponents(record: Record) -> str:
    factors = record.data.get("decisions per agent step", {})
    told = []
    for game, factor in factors.items():
        seen = record.ratio(game, "vector 1024, bare", "self-play 1024, observed")
        unseen = record.ratio(game, "vector 1024, bare", "self-play 1024")
        if seen is not None and unseen is not None:
            told.append(f"{title(game)} {percent(factor * seen)} and {percent(factor * unseen)}")
    if not told:
        return ""
    return (
        "Opponents inside `step`: a vector environment of 1,024, raw, with all players' decisions counted, does, of the same batch "
        f"stepped from Python for all players with an observation for each decision, and without any: {', '.join(told)}."
    )


def _learning(record: Record) -> str:
    told = []
    for words, settings in (
        ("`isle train`'s settings", "isle train"),
        ("four epochs of learning from each step", "4 epochs"),
    ):
        free = f"MaskablePPO, {settings}, {_FREE}"
        for opponents, others in (
            ("", ("against random", "alone")),
            (" against greedy opponents", ("against greedy",)),
        ):
            pairs = [(game, f"MaskablePPO, {settings}, {other}") for game in record.games for other in others]
            ratios = _known([record.ratio(game, name, free) for game, name in pairs])
            if ratios:
                told.append(f"{_percents(ratios)} with {words}{opponents}")
    return f"MaskablePPO does, of what it does on an environment that costs nothing: {', '.join(told)}." if told else ""


def _memory(record: Record) -> str:
    memory = record.data.get("memory", {})
    if not memory:
        return ""
    parts = [f"{title(game)} {of['bytes of a state']:,} + {of['bytes of a mask']:,}" for game, of in memory.items()]
    words = f"Bytes of a game and of its mask: {', '.join(parts)}."
    tiles = memory.get("isle_tiles", {})
    if "bytes grown" in tiles:
        peak = tiles.get("bytes grown, at the peak", tiles["bytes grown"])
        words += (
            f" A batch of {tiles['games']:,} Isle Tiles games, stepped once, makes a process grow by {tiles['bytes grown'] / 1e9:.2f} GB, "
            f"{peak / 1e9:.2f} GB at the peak."
        )
    return words


def _starting(record: Record) -> str:
    starting = record.data.get("starting", {})
    if not starting:
        return ""
    games = starting["games"].values()
    first = [game["first start, compiling"] for game in games]
    later = [game["start from the cache"] for game in games]
    again = sum(game["kernels compiled again"] for game in games)
    dealt = _known([record.rate(game, "deal 1024") for game in record.games])
    words = (
        f"`import isle_envs` takes {starting['imports']['isle_envs']:.2f} s more than what it imports; the first start of a game "
        f"compiles for {_span(first, '.0f', 's')}, later ones take {_span(later, '.1f', 's')}, and another batch size or number of "
        f"players compiles {'nothing' if again == 0 else f'{again} functions'} anew."
    )
    return words + (f" A game is dealt in {_span([1e6 / rate for rate in dealt], '.1f', 'µs')}." if dealt else "")


def _missed(record: Record) -> str:
    goals = record.data["goals"]
    missed = [goal for goal in goals if not goal["owed reached"]]
    words = f"Of {len(goals)} goals set beforehand, {len(goals) - len(missed)} are reached"
    if not missed:
        return f"{words}."
    told: dict[str, list[str]] = {}
    for goal in missed:
        what = f"{goal['goal']} (owed {_goal_number(goal['owed'])}{' ' if goal['unit'] else ''}{goal['unit']})"
        told.setdefault(what, []).append(f"{title(goal['game'])} {_goal_number(goal['measured'])}".strip())
    listed = [f"{what}: {', '.join(games)}" for what, games in told.items()]
    return f"{words}. Not reached: {'; '.join(listed)}."


def in_readme(text: str) -> str:
    """The section as it stands in the README's ``text``."""
    return _parts(text)[1]


def _parts(text: str) -> tuple[str, str, str]:
    before, start, rest = text.partition(START)
    if not start:
        raise ValueError(f"{README.name} has no line {START.strip()}")
    if END in rest:
        middle, _, after = rest.partition(END)
    else:
        middle, next_heading, after = rest.partition(NEXT)
        after = next_heading + after
    return before, middle, after


def write_page(record: Record) -> None:
    """Writes ``results.md``."""
    PAGE.write_text(page(record), "utf-8")


def write_readme(record: Record) -> None:
    """Puts the section into the README."""
    before, _, after = _parts(README.read_text("utf-8"))
    README.write_text(before + START + section(record) + END + after, "utf-8")


def main() -> None:
    """The command line."""
    import argparse

    argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__).parse_args()
    record = Record.read()
    write_page(record)
    write_readme(record)
    try:
        from benchmarks import plots
    except ImportError as error:
        print(f"The plots are left as they are: {error}")
    else:
        plots.write(record)
    print(f"Written from {RESULTS.relative_to(ROOT)}: {README.name}, {PAGE.relative_to(ROOT)} and the plots beside it.")


if __name__ == "__main__":
    main()
