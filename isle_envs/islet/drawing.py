"""Islet as text."""

from __future__ import annotations

from typing import Any

EGGS, BIRDS = "abcd", "ABCD"  # by seat
WIDTH = 5  # of a cell
LEGEND = (
    "/tile\\ points up and joins the tile below it, \\tile/ the one above; sides join left and right. "
    "A tile: terrain, nest, level,\nthen its egg (a to d, by seat) and the birds on it (A to D)."
)


def draw(view: dict[str, Any], components: dict[str, Any], asks: str) -> str:
    """A picture of a (possibly partly hidden) description."""
    terrains, nests = components["terrains"], components["nests"]
    solo = view["num_players"] == 1
    lines = [_head(view, asks)]
    for islet in range(2 if solo else 1):
        tiles = {tuple(tile["cell"][-2:]): tile for tile in view["tiles"] if not solo or tile["cell"][0] == islet}
        birds = {
            tuple(bird[-2:]): BIRDS[seat]
            for seat, bird in enumerate(view["birds"])
            if bird is not None and (not solo or bird[0] == islet)
        }
        if solo:
            shown = "; ".join(_card(components, card, islet) for card in view["cards"][islet]) or "no card"
            lines.append(f"\n{('Day', 'Night')[islet]} islet, {islet} (lay where: {shown})")
        marks = _marks(view, islet if solo else None)
        lines += _islet(tiles, birds, marks, terrains, nests)
    names = [*terrains, *nests]
    lines += [LEGEND, "", *(_player(view, seat, names) for seat in range(view["num_players"]))]
    lines.append("stacks: " + _resources(view["stacks"], names))
    lines += _now(view, terrains, nests, names)
    return "\n".join(lines)


def _head(view: dict[str, Any], asks: str) -> str:
    bag = view["bag"] if isinstance(view["bag"], int) else len(view["bag"])
    last = f", the game ends after round {view['last_round']}" if view["last_round"] else ""
    end = f" ({view['end']})" if view["end"] else ""
    return f"Islet, round {view['round']}{last}; {bag} tiles in the bag; {asks}{end}"


def _card(components: dict[str, Any], card: int, islet: int) -> str:
    return str(components["day_night"][card][("day", "night")[islet]])


def _marks(view: dict[str, Any], islet: int | None) -> dict[tuple[int, ...], str]:
    """The cells that the running turn has to do with: the tile placed last, those stood on."""
    marked = [(cell, ".") for cell in view["stood"]]
    if view["explore"] and view["explore"]["last"]:
        marked.append((view["explore"]["last"], "!"))
    return {tuple(cell[-2:]): mark for cell, mark in marked if islet is None or cell[0] == islet}


def _islet(
    tiles: dict[tuple[int, ...], dict[str, Any]],
    birds: dict[tuple[int, ...], str],
    marks: dict[tuple[int, ...], str],
    terrains: list[str],
    nests: list[str],
) -> list[str]:
    """The tiles with one row and column of sea around them."""
    rows, columns = [row for row, _ in tiles], [column for _, column in tiles]
    across = range(min(columns) - 1, max(columns) + 2)
    lines = ["    " + "".join(f"{column:^{WIDTH + 1}}" for column in across).rstrip()]
    for row in range(min(rows) - 1, max(rows) + 2):
        line = f"{row:>3} "
        for column in across:
            left = "/" if (row + column) % 2 == 0 else "\\"
            tile = tiles.get((row, column))
            if tile is None:
                text = ""
            else:
                egg = "" if tile["egg"] is None else EGGS[tile["egg"]]
                text = f"{terrains[tile['kind'] // 3][0].upper()}{nests[tile['kind'] % 3][0]}{tile['level']}"
                text += egg + birds.get((row, column), marks.get((row, column), ""))
            line += left + f"{text:^{WIDTH}}"
        lines.append(line + ("/" if (row + across[-1] + 1) % 2 == 0 else "\\"))
    return lines


def _resources(counts: list[int], names: list[str]) -> str:
    return ", ".join(f"{count} {name}" for count, name in zip(counts, names, strict=True) if count) or "none"


def _player(view: dict[str, Any], seat: int, names: list[str]) -> str:
    eggs = view["eggs"][seat]
    where = "" if view["birds"][seat] else " (bird in the sea)"
    spent = f" (spent: {_resources(view['spent'][seat], names)})" if any(view["spent"][seat]) else ""
    return (
        f"seat {seat} {BIRDS[seat]}{where}: {eggs['laid']} eggs laid, {eggs['free']} free; {_resources(view['loose'][seat], names)}; "
        f"guaranteed: {_resources(view['guaranteed'][seat], names)}{spent}"
    )


def _now(view: dict[str, Any], terrains: list[str], nests: list[str], names: list[str]) -> list[str]:
    """Hands that may be seen, and what the running turn has come to."""
    kinds = [f"{terrain}/{nest}" for terrain in terrains for nest in nests]
    lines = []
    for seat, hand in enumerate(view["hands"]):
        shown = (
            f"{hand} tiles"
            if isinstance(hand, int)
            else ", ".join(f"{kinds[kind]} ({kind})" for kind in hand) or "no tiles"
        )
        lines.append(f"hand of seat {seat}: {shown}")
    explore, payment = view["explore"], view["payment"]
    if explore:
        gains = _resources([explore["gains"].count(kind) for kind in range(len(names))], names)
        picked = "" if explore["picked"] is None else f"picked {kinds[explore['picked']]}; "
        lines.append(f"exploring: {picked}placed {explore['placed']} (last: !), to gain {gains}")
    if payment:
        paid = [sum(payment["paid"][2 * kind : 2 * kind + 2]) for kind in range(len(names))]
        what = "an egg" if payment["for"] == "lay" else f"an advance to {payment['to']}"
        lines.append(f"paying for {what}: {_resources(paid, names)} so far")
    return lines
