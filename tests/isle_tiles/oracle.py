"""A second Isle Tiles, written from the rulebook alone: slow, plain Python over the description of a position.

It shares no code with the engine, so that the two can be held against each other. A *description* is the dict of
`game.describe(state)`; a *decision* is a tuple such as `("place", 12, 3)`, as `game.actions.decode` gives it.

`legal` and `apply` carry the game on from any described position, `score`, `ranks` and `task_open` answer about one,
`seen_by` hides what a seat may not know. Nothing here needs chance: the description holds the order of the supply.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any

Description = dict[str, Any]
Decision = tuple[Any, ...]
Point = tuple[int, int]
Parts = Sequence[Sequence[Point]]

DIRECTIONS: dict[str, list[Point]] = {
    "hex": [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)],  # E, NE, NW, W, SW, SE; r grows downwards
    "square": [(1, 0), (0, -1), (-1, 0), (0, 1)],  # E, N, W, S
}
LANDSCAPES = range(5)
MARKERS = range(1, 7)
CANVAS = range(31)
MIDDLE = 15


def water(q: int, r: int) -> dict[str, Any]:
    """An uncovered space."""
    return {"q": q, "r": r, "landscape": None, "height": 0, "marker": None}


class Board:
    """The spaces of a description with what follows from them: neighbours, areas and their owners.

    `near[s]` are the numbers of the spaces that touch space s. `areas` are sets of space numbers, `owners[a]` the seat
    that owns `areas[a]`, or None. `area_of[s]` is the index of the area that space s belongs to, None on water.
    """

    def __init__(self, description: Description) -> None:
        self.spaces: list[dict[str, Any]] = description["spaces"]
        self.grid: str = description["grid"]
        self.number = {(space["q"], space["r"]): s for s, space in enumerate(self.spaces)}
        ways = range(len(DIRECTIONS[self.grid]))
        self.near = [[t for way in ways if (t := self.step(s, way)) is not None] for s in self.all]
        self.areas: list[set[int]] = []
        self.area_of: list[int | None] = [None for _ in self.all]
        for s in self.all:
            if self.height(s) > 0 and self.area_of[s] is None:
                area = self._flood(s)
                for t in area:
                    self.area_of[t] = len(self.areas)
                self.areas.append(area)
        self.owners = [self._owner(area) for area in self.areas]

    @property
    def all(self) -> range:
        return range(len(self.spaces))

    def step(self, space: int, direction: int) -> int | None:
        """The neighbour of a space in a direction; None where the board has none."""
        dq, dr = DIRECTIONS[self.grid][direction]
        return self.number.get((self.spaces[space]["q"] + dq, self.spaces[space]["r"] + dr))

    def height(self, space: int) -> int:
        return int(self.spaces[space]["height"])

    def landscape(self, space: int) -> int:
        return int(self.spaces[space]["landscape"])

    def marker(self, space: int) -> tuple[int, int] | None:
        """(seat, value) of the marker on a space."""
        marker = self.spaces[space]["marker"]
        return None if marker is None else (marker["seat"], marker["value"])

    def touches_water(self, space: int) -> bool:
        """Whether a neighbour is an uncovered space of the board; its edge and its gaps are not water."""
        return any(self.height(t) == 0 for t in self.near[space])

    def markers_in(self, spaces: Iterable[int]) -> dict[int, list[int]]:
        """Which spaces among these carry markers, by seat."""
        found: dict[int, list[int]] = {}
        for s in spaces:
            marker = self.marker(s)
            if marker is not None:
                found.setdefault(marker[0], []).append(s)
        return found

    def owned(self, seat: int) -> list[int]:
        """The indices of a seat's areas."""
        return [a for a in range(len(self.areas)) if self.owners[a] == seat]

    def of_type(self, landscape: int) -> list[int]:
        """The indices of all areas of a landscape, whoever owns them."""
        return [a for a in range(len(self.areas)) if self.type_of(a) == landscape]

    def type_of(self, area: int) -> int:
        return self.landscape(min(self.areas[area]))

    def size(self, area: int) -> int:
        return len(self.areas[area])

    def around(self, area: int) -> set[int]:
        """The indices of the areas that border an area."""
        touching = {self.area_of[t] for s in self.areas[area] for t in self.near[s]}
        return {a for a in touching if a is not None and a != area}

    def steps_from(self, start: set[int]) -> dict[int, int]:
        """How many steps every space is away from a set of spaces, over spaces of the board."""
        steps = dict.fromkeys(start, 0)
        queue = deque(start)
        while queue:
            s = queue.popleft()
            for t in self.near[s]:
                if t not in steps:
                    steps[t] = steps[s] + 1
                    queue.append(t)
        return steps

    def distance(self, area: int, other: int) -> int:
        """The smallest number of steps from a space of one area to a space of the other."""
        steps = self.steps_from(self.areas[area])
        return min(steps[s] for s in self.areas[other])

    def _flood(self, start: int) -> set[int]:
        """Adjacent spaces of one landscape form an area; heights do not matter ("Forming an area")."""
        area, open_spaces = {start}, [start]
        while open_spaces:
            s = open_spaces.pop()
            for t in self.near[s]:
                if t not in area and self.height(t) > 0 and self.landscape(t) == self.landscape(s):
                    area.add(t)
                    open_spaces.append(t)
        return area

    def _owner(self, area: set[int]) -> int | None:
        """The only seat with markers in the area; with none or several (not settled yet) nobody owns it (ruling 3)."""
        seats = list(self.markers_in(area))
        return seats[0] if len(seats) == 1 else None


# Tasks, in the order of the rulebook's overview. Each asks whether `seat` meets the card on the board as it lies.


def _wide_land(board: Board, seat: int) -> bool:
    return any(board.size(a) >= 5 for a in board.owned(seat))


def _variety(board: Board, seat: int) -> bool:
    return {board.type_of(a) for a in board.owned(seat)} == set(LANDSCAPES)


def _high_plateau(board: Board, seat: int) -> bool:
    for a in board.owned(seat):
        heights = [board.height(s) for s in board.areas[a]]
        if any(h >= 2 and heights.count(h) >= 3 for h in heights):
            return True
    return False


def _far_from_the_coast(board: Board, seat: int) -> bool:
    return any(not any(board.touches_water(s) for s in board.areas[a]) for a in board.owned(seat))


def _cliff(board: Board, seat: int) -> bool:
    return any(board.height(s) >= 3 and board.touches_water(s) for a in board.owned(seat) for s in board.areas[a])


def _in_the_centre(board: Board, seat: int) -> bool:
    return any(len(board.around(a)) >= 4 for a in board.owned(seat))


def _deep_valley(board: Board, seat: int) -> bool:
    for a in board.owned(seat):
        for s in board.areas[a]:
            for t in board.near[s]:
                if t in board.areas[a] and board.height(s) - board.height(t) >= 3:
                    return True
    return False


def _terraced_landscape(board: Board, seat: int) -> bool:
    return any(len({board.height(s) for s in board.areas[a]}) >= 3 for a in board.owned(seat))


def _mountain_animals(board: Board, seat: int) -> bool:
    for a in board.owned(seat):
        if len({board.height(s) for s in board.areas[a] if board.marker(s) is not None}) >= 3:
            return True
    return False


def _archipelago(board: Board, seat: int) -> bool:
    return len(board.owned(seat)) >= 4


def _monoculture(board: Board, seat: int) -> bool:
    for a in board.owned(seat):
        types = [board.type_of(b) for b in board.around(a)]
        if any(types.count(t) >= 2 for t in types):
            return True
    return False


def _twin_areas(board: Board, seat: int) -> bool:
    sizes = [board.size(a) for a in board.owned(seat)]
    return any(size >= 3 and sizes.count(size) >= 2 for size in sizes)


def _mountain_peak(board: Board, seat: int) -> bool:
    for a in board.owned(seat):
        if any(board.marker(s) is not None and board.height(s) >= 4 for s in board.areas[a]):
            return True
    return False


def _distant_land(board: Board, seat: int) -> bool:
    for a in board.owned(seat):
        for b in board.owned(seat):
            if a < b and board.type_of(a) == board.type_of(b) and board.distance(a, b) >= 5:
                return True
    return False


def _large_and_small(board: Board, seat: int) -> bool:
    for landscape in LANDSCAPES:
        areas = board.of_type(landscape)
        sizes = [board.size(a) for a in areas]
        if len(areas) < 2 or sizes.count(max(sizes)) > 1 or sizes.count(min(sizes)) > 1:
            continue  # "A tie is not sufficient."
        largest, smallest = areas[sizes.index(max(sizes))], areas[sizes.index(min(sizes))]
        if board.owners[largest] == board.owners[smallest] == seat:
            return True
    return False


def _rather_alone(board: Board, seat: int) -> bool:
    return any(all(board.owners[b] in (None, seat) for b in board.around(a)) for a in board.owned(seat))


def _small_animals(board: Board, seat: int) -> bool:
    for a in board.owned(seat):
        values = {marker[1] for s in board.areas[a] if (marker := board.marker(s)) is not None}
        if {1, 2, 3} <= values:
            return True
    return False


def _two_levels(board: Board, seat: int) -> bool:
    mine = [s for a in board.owned(seat) for s in board.areas[a]]
    for s in mine:
        for t in board.near[s]:
            if t in mine and board.landscape(s) != board.landscape(t) and board.height(s) - board.height(t) >= 3:
                return True
    return False


def _long_route(board: Board, seat: int) -> bool:
    points = [(board.spaces[s]["q"], board.spaces[s]["r"]) for s in board.markers_in(board.all).get(seat, [])]
    # Along an axis one linear form stays the same: the column or the row, and on hexes also q + r (the SW-NE axis).
    lines = [[q for q, _ in points], [r for _, r in points]]
    if board.grid == "hex":
        lines.append([q + r for q, r in points])
    return any(line.count(value) >= 4 for line in lines for value in line)


_TASKS: dict[int, Callable[[Board, int], bool]] = {
    1: _wide_land,
    2: _variety,
    3: _high_plateau,
    4: _far_from_the_coast,
    5: _cliff,
    6: _in_the_centre,
    7: _deep_valley,
    8: _terraced_landscape,
    9: _mountain_animals,
    10: _archipelago,
    11: _monoculture,
    12: _twin_areas,
    13: _mountain_peak,
    14: _distant_land,
    15: _large_and_small,
    16: _rather_alone,
    # 17, the predetermined area, needs the tile shown on the card: see task_open.
    18: _small_animals,
    19: _two_levels,
    20: _long_route,
}


def task_open(description: Description, seat: int, card: int) -> bool:
    """Whether a seat meets a task card (1-20) on the board as it lies, taken or not."""
    return _meets(Board(description), description, seat, card)


def _meets(board: Board, description: Description, seat: int, card: int) -> bool:
    if card == 17:
        types = description["removed"][description["shown"]]
        return any(board.type_of(a) in types and board.size(a) >= 3 for a in board.owned(seat))
    return _TASKS[card](board, seat)


def _open_slots(description: Description, board: Board) -> list[int]:
    """The slots whose card nobody has taken and the current player meets."""
    seat = description["current_player"]
    return [
        slot
        for slot, task in enumerate(description["tasks"])
        if task["taken_by"] is None and _meets(board, description, seat, task["card"])
    ]


# What is legal


def legal(description: Description, parts: Parts | None = None) -> list[Decision]:
    """All legal decisions in a position, in the order of their action numbers; empty when the game is over.

    During a draft `parts` must hold the four part shapes as they were cut from the components file.
    """
    phase = description["phase"]
    if phase == "over":
        return []
    if phase in ("part", "turn", "row", "column"):
        assert parts is not None, "a draft needs the part shapes"
        return _legal_draft(description, parts)
    board = Board(description)
    if phase == "task":
        slots = _open_slots(description, board)
        return [*(("task", slot) for slot in slots), *([("no_task",)] if slots else [])]
    if phase == "place":
        return placements(board, description["hands"][description["current_player"]])
    assert phase == "marker"
    return _legal_markers(description)


def placements(board: Board, tile: Sequence[int]) -> list[Decision]:
    """Step 2: two adjacent spaces at the same height, water being height 0, no marker on either (ruling 1)."""
    found: list[Decision] = []
    for s in board.all:
        for direction in range(len(DIRECTIONS[board.grid])):
            t = board.step(s, direction)
            if t is None or board.height(s) != board.height(t) or board.marker(s) or board.marker(t):
                continue
            if tile[0] == tile[1] and t < s:
                continue  # Both ways round are one placement: a double is placed from its lower-numbered space.
            found.append(("place", s, direction))
    return found


def _legal_markers(description: Description) -> list[Decision]:
    """Step 3: any own marker, from the supply or from the board, once a turn, the first half before the second."""
    placed = description["placed"]
    halves = [half for half in (0, 1) if half >= placed["half"]]
    return [*(("marker", v, half) for v in MARKERS for half in halves if v != placed["used"]), ("done",)]


# What a decision does


def apply(description: Description, decision: Decision, parts: Parts | None = None) -> Description:
    """The position after a legal decision, up to the next decision or the end. The given description stays as it is.

    Turns that play by themselves on a blocked board are played through. "stream" is left alone.
    """
    after = deepcopy(description)
    seat = after["current_player"]
    match decision:
        case ("part" | "turn" | "row" | "column", int()):
            assert parts is not None, "a draft needs the part shapes"
            _apply_draft(after, decision, parts)
        case ("task", int(slot)):
            after["tasks"][slot]["taken_by"] = seat
            _go_to_placing(after)
        case ("no_task",):
            _go_to_placing(after)
        case ("place", int(space), int(direction)):
            _place(after, space, direction)
        case ("marker", int(value), int(half)):
            _put_marker(after, value, half)
        case ("done",):
            _finish_markers(after)
        case _:
            raise ValueError(f"not a decision of Isle Tiles: {decision}")
    return after


def _begin_turn(description: Description) -> None:
    """Step 1: a task is asked for only where one is open to the player (ruling 5)."""
    if _open_slots(description, Board(description)):
        description["phase"] = "task"
    else:
        _go_to_placing(description)


def _go_to_placing(description: Description) -> None:
    """Step 2 must be played where it can; otherwise the tile is set aside face down and the turn ends (ruling 1)."""
    seat = description["current_player"]
    tile = description["hands"][seat]
    if placements(Board(description), tile):
        description["phase"] = "place"
        return
    description["hands"][seat] = None
    description["set_aside"][seat] = sorted([*description["set_aside"][seat], tile])
    _end_turn(description)


def _place(description: Description, space: int, direction: int) -> None:
    seat = description["current_player"]
    other = Board(description).step(space, direction)
    assert other is not None
    for s, landscape in zip((space, other), description["hands"][seat], strict=True):
        description["spaces"][s]["landscape"] = landscape
        description["spaces"][s]["height"] += 1
    description["hands"][seat] = None
    description["placed"] = {"spaces": [space, other], "half": 0, "used": None}
    description["phase"] = "marker"


def _put_marker(description: Description, value: int, half: int) -> None:
    marker = {"seat": description["current_player"], "value": value}
    for space in description["spaces"]:
        if space["marker"] == marker:  # It is moved from elsewhere on the board.
            space["marker"] = None
    placed = description["placed"]
    description["spaces"][placed["spaces"][half]]["marker"] = marker
    placed["used"] = value
    placed["half"] = half + 1
    if half == 1:
        _finish_markers(description)


def _finish_markers(description: Description) -> None:
    description["placed"] = None
    _settle(description)
    _end_turn(description)


def _settle(description: Description) -> None:
    """In every area with markers of several players, only a total strictly above all others stays (ruling 3)."""
    board = Board(description)
    for area in board.areas:
        by_seat = board.markers_in(area)
        if len(by_seat) < 2:
            continue
        totals = dict.fromkeys(by_seat, 0)
        for s in area:
            if (marker := board.marker(s)) is not None:
                totals[marker[0]] += marker[1]
        for seat, held in by_seat.items():
            if any(total >= totals[seat] for rival, total in totals.items() if rival != seat):
                for s in held:
                    description["spaces"][s]["marker"] = None


def _end_turn(description: Description) -> None:
    """Step 4, or in the last round the scoring; then the next player's turn begins."""
    seat = description["current_player"]
    n = description["num_players"]
    if description["last_turns"] is None:
        description["hands"][seat] = description["supply"].pop(0)
        if not description["supply"]:
            description["last_turns"] = n  # Everybody has one more turn, the one who drew the last tile comes last.
    else:
        description["scores"][seat] = score(description, seat)
        description["last_turns"] -= 1
        if description["last_turns"] == 0:
            description["phase"] = "over"
            description["current_player"] = None
            return
    description["current_player"] = (seat + 1) % n
    _begin_turn(description)


# Points


def tasks_taken(description: Description, seat: int) -> int:
    return sum(task["taken_by"] == seat for task in description["tasks"])


def score(description: Description, seat: int) -> int:
    """A seat's points as they stand: every space of its areas counts its height, every task 3; once noted, as noted."""
    noted = description["scores"][seat]
    if noted is not None:
        return int(noted)
    board = Board(description)
    return sum(board.height(s) for a in board.owned(seat) for s in board.areas[a]) + 3 * tasks_taken(description, seat)


def ranks(description: Description) -> list[int]:
    """1 for the winner, and so on: points, then tasks, then the earlier seat. All 0 before the game is over."""
    seats = range(description["num_players"])
    if description["phase"] != "over":
        return [0 for _ in seats]
    order = sorted(seats, key=lambda seat: (-score(description, seat), -tasks_taken(description, seat), seat))
    return [order.index(seat) + 1 for seat in seats]


# What a seat may know


def seen_by(description: Description, seat: int) -> Description:
    """The description as far as a seat may know it (ruling 9)."""
    view = deepcopy(description)
    view.pop("stream", None)
    others = [other for other in range(view["num_players"]) if other != seat]
    view["supply"] = len(view["supply"])
    view["removed"] = [tile if k == view["shown"] else None for k, tile in enumerate(view["removed"])]
    for other in others:
        view["hands"][other] = None if view["hands"][other] is None else "hidden"
        view["set_aside"][other] = len(view["set_aside"][other])
    if view["phase"] in ("part", "turn", "row", "column"):  # Cards and tiles come after the board.
        view["hands"] = ["hidden" for _ in view["hands"]]
        view["tasks"] = []
        view["shown"] = None
        view["removed"] = [None, None]
    return view


# The draft: hexes only


def turned(point: Point, turn: int) -> Point:
    """A point turned clockwise about the origin, in steps of 60 degrees: E goes to SE, SE to SW."""
    q, r = point
    for _ in range(turn):
        q, r = -r, q + r
    return q, r


def _distance(a: Point, b: Point) -> int:
    dq, dr = a[0] - b[0], a[1] - b[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


def reference_space(part: Sequence[Point]) -> Point:
    """The space of a part that goes where the player says: smallest greatest distance to the others, then smallest
    sum of distances, then lowest row and column."""
    return min(
        part,
        key=lambda p: (max(_distance(p, o) for o in part), sum(_distance(p, o) for o in part), p[1], p[0]),
    )


def part_shape(part: Sequence[Point], turn: int) -> list[Point]:
    """The spaces of a turned part, seen from its reference space."""
    q, r = reference_space(part)
    return [turned((p[0] - q, p[1] - r), turn) for p in part]


def _untranslated(shape: Iterable[Point]) -> list[Point]:
    """The same shape wherever it lies."""
    points = sorted(shape)
    return [(q - points[0][0], r - points[0][1]) for q, r in points]


def distinct_turns(part: Sequence[Point]) -> list[int]:
    """Of the rotations that give one shape only the smallest."""
    shapes = [_untranslated(part_shape(part, turn)) for turn in range(6)]
    return [turn for turn in range(6) if shapes.index(shapes[turn]) == turn]


def _covered(description: Description, parts: Parts) -> set[Point]:
    """Where the parts laid so far lie, on the canvas: (column, row)."""
    return {
        (laid["column"] + q, laid["row"] + r)
        for laid in description["parts"]["laid"]
        for q, r in part_shape(parts[laid["part"]], laid["turn"])
    }


def attachments(description: Description, parts: Parts, part: int, turn: int) -> list[tuple[int, int]]:
    """All (row, column) where the reference space of a part may go: no overlap, and at least one shared side."""
    covered = _covered(description, parts)
    shape = part_shape(parts[part], turn)
    found = []
    for row in CANVAS:
        for column in CANVAS:
            points = [(column + q, row + r) for q, r in shape]
            if any(point in covered for point in points):
                continue
            if any((q + dq, r + dr) in covered for q, r in points for dq, dr in DIRECTIONS["hex"]):
                found.append((row, column))
    return found


def _unlaid(description: Description) -> list[int]:
    """The parts that the current player still has to lay; the k-th part dealt went to seat k mod n."""
    seat, n = description["current_player"], description["num_players"]
    dealt = [part for k, part in enumerate(description["parts"]["order"]) if k % n == seat]
    return [part for part in dealt if part not in [laid["part"] for laid in description["parts"]["laid"]]]


def _legal_draft(description: Description, parts: Parts) -> list[Decision]:
    phase, chosen = description["phase"], description["parts"]["chosen"]
    if phase == "part":
        return [
            ("part", part)
            for part in sorted(_unlaid(description))
            if any(attachments(description, parts, part, turn) for turn in distinct_turns(parts[part]))
        ]
    part = chosen["part"]
    if phase == "turn":
        turns = distinct_turns(parts[part])
        return [("turn", turn) for turn in turns if attachments(description, parts, part, turn)]
    where = attachments(description, parts, part, chosen["turn"])
    if phase == "row":
        return [("row", row) for row in sorted({row for row, _ in where})]
    return [("column", column) for row, column in where if row == chosen["row"]]


def _apply_draft(description: Description, decision: Decision, parts: Parts) -> None:
    kind, value = decision
    chosen = description["parts"]["chosen"]
    if kind != "column":
        chosen[kind] = value
        description["phase"] = {"part": "turn", "turn": "row", "row": "column"}[str(kind)]
        return
    description["parts"]["laid"].append(chosen | {"column": value})
    description["parts"]["chosen"] = {"part": None, "turn": None, "row": None}
    if len(description["parts"]["laid"]) < 4:
        description["current_player"] = (description["current_player"] + 1) % description["num_players"]
        held = _unlaid(description)
        if len(held) > 1:
            description["phase"] = "part"
        else:  # The only one left needs no choice.
            description["phase"] = "turn"
            description["parts"]["chosen"]["part"] = held[0]
        return
    # The layout is complete: spaces are numbered row by row from the top, from the left in a row.
    where = sorted(_covered(description, parts), key=lambda point: (point[1], point[0]))
    description["spaces"] = [water(column - MIDDLE, row - MIDDLE) for column, row in where]
    description["current_player"] = 0
    _begin_turn(description)
