"""A second Islet, written from the rulebook alone: slow, plain Python over the description of a position.

It shares no code with the engine, so that the two can be held against each other. A *description* is the dict of
`game.describe(state)`; a *decision* is a tuple such as `("cell", 8, 14)`, as `game.actions.decode` gives it.

`legal` and `apply` carry the game on from any described position, `score`, `ranks` and `rewards` answer about one,
`seen_by` hides what a seat may not know. Nothing here needs chance: the description holds the order of the bag and the
deck. The solo rules also need the day and night cards, a list of `{"day": condition, "night": condition}`.

Numbers: terrains 0 fresh water, 1 sand, 2 clay; nests 0 leaves, 1 branches, 2 flowers; a tile's kind is 3 x terrain +
nest; resource types 0-2 are the terrains, 3-5 the nests. A *purse* is what a seat can pay with: how many unspent cards of
each `pay` index, which is 2 x type for a loose card, 2 x type + 1 for a guaranteed one. A *payment* is the list of the
indices of its cards in ascending order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import product
from typing import Any

Description = dict[str, Any]
Decision = tuple[Any, ...]
Cell = tuple[int, ...]
Cards = Sequence[Mapping[str, str]]
Purse = tuple[int, ...]
Payment = tuple[int, ...]

TERRAINS = ("fresh water", "sand", "clay")
TYPES = range(6)
KINDS = range(9)
HAND = 4
MOST_PLACED = 4
MOST_LOOSE = 8
MOST_ALIKE = 2
ROUNDS = 100
REMOVED = 3

# "Fresh Water tile on Sand tile, or vice versa: BRANCH NEST", and so on: the two terrains of each nest's resource type.
COMBINATION = {3: (0, 2), 4: (0, 1), 5: (1, 2)}


def terrain(kind: int) -> int:
    return kind // 3


def nest(kind: int) -> int:
    """The resource type of the nest shown on a tile."""
    return 3 + kind % 3


def gain(kind: int, covered: int | None) -> int:
    """The resource type for placing a tile in the sea (None) or on another one. The nests shown do not matter."""
    if covered is None or terrain(kind) == terrain(covered):
        return terrain(kind)
    pair = sorted([terrain(kind), terrain(covered)])
    (found,) = [kind for kind, combined in COMBINATION.items() if list(combined) == pair]
    return found


class Board:
    """The tiles of a description by cell, with what follows from them."""

    def __init__(self, description: Description) -> None:
        self.tiles: dict[Cell, dict[str, Any]] = {tuple(tile["cell"]): tile for tile in description["tiles"]}
        self.solo: bool = description["num_players"] == 1
        self.birds: list[Cell | None] = [None if at is None else tuple(at) for at in description["birds"]]

    def near(self, cell: Cell) -> list[Cell]:
        """The three cells that share an edge with a cell, on the canvas or not."""
        *islet, row, column = cell
        third = row + 1 if (row + column) % 2 == 0 else row - 1  # A cell that points up has its base below.
        return [(*islet, row, column - 1), (*islet, row, column + 1), (*islet, third, column)]

    def on_canvas(self, cell: Cell) -> bool:
        rows, columns = (14, 27) if self.solo else (18, 31)
        return 0 <= cell[-2] < rows and 0 <= cell[-1] < columns

    def near_tiles(self, cell: Cell) -> list[Cell]:
        return [other for other in self.near(cell) if other in self.tiles]

    def coastal(self, cell: Cell) -> bool:
        """Every cell without a tile is sea, also off the canvas and also one enclosed by tiles (ruling 1)."""
        return len(self.near_tiles(cell)) < 3

    def kind(self, cell: Cell) -> int:
        return int(self.tiles[cell]["kind"])

    def terrain(self, cell: Cell) -> int:
        return terrain(self.kind(cell))

    def level(self, cell: Cell) -> int:
        return int(self.tiles[cell]["level"])

    def egg(self, cell: Cell) -> bool:
        return self.tiles[cell]["egg"] is not None

    def shared(self, cell: Cell, seat: int) -> bool:
        """Whether a bird of another seat stands on the cell."""
        return any(at == cell for other, at in enumerate(self.birds) if other != seat)

    def first_places(self, islet: int | None) -> list[Cell]:
        """Where an Explore can begin: in the sea, next to a tile (solo: of one islet)."""
        found = {
            sea
            for cell in self.tiles
            for sea in self.near(cell)
            if sea not in self.tiles and self.on_canvas(sea) and (islet is None or sea[0] == islet)
        }
        return sorted(found)

    def further_places(self, last: Cell) -> list[Cell]:
        """Where it can go on: A adjacent to the last tile, B empty, C ending up higher than the last tile."""
        return sorted(
            cell
            for cell in self.near_tiles(last)
            if cell not in self.birds and not self.egg(cell) and self.level(cell) + 1 > self.level(last)
        )


def places(description: Description) -> list[Cell]:
    """The cells on which the next tile of an Explore can be placed."""
    board = Board(description)
    explore = description["explore"]
    if explore is not None and explore["last"] is not None:
        return board.further_places(tuple(explore["last"]))
    return board.first_places(board.birds[0][0] if board.solo and board.birds[0] else None)


# Paying


def purse(description: Description, seat: int) -> Purse:
    """What a seat can still pay with this turn."""
    loose, guaranteed = description["loose"][seat], description["guaranteed"][seat]
    spent = description["spent"][seat]
    return tuple(count for t in TYPES for count in (loose[t], guaranteed[t] - spent[t]))


def recipes(cost: int) -> list[dict[int, int]]:
    """All ways to pay for an advance (a terrain's type: 1 card) or a lay (a nest's type: 3), as cards by type.

    Two identical terrain cards make one of another terrain, two different ones the nest of their combination. What was
    obtained by transforming is not transformed again (ruling 8).
    """
    if cost < 3:
        return [{cost: 1}, *({other: 2} for other in range(3) if other != cost)]
    first, second = COMBINATION[cost]
    return [{first: made, second: made, cost: 3 - made} for made in range(4)]


def payments(cost: int, held: Purse) -> list[Payment]:
    """All multisets of cards in a purse that meet a cost exactly."""
    found = []
    for recipe in recipes(cost):
        splits = []  # by type, all ways to take so many cards: so many loose, so many guaranteed
        for t, count in recipe.items():
            ways = [(count - firm, firm) for firm in range(count + 1)]
            splits.append([[2 * t] * a + [2 * t + 1] * b for a, b in ways if a <= held[2 * t] and b <= held[2 * t + 1]])
        found += [tuple(sorted(index for part in parts for index in part)) for parts in product(*splits)]
    assert len(set(found)) == len(found)
    return sorted(found)


def without(held: Purse, paid: Payment) -> Purse:
    """What remains in a purse after a payment."""
    return tuple(count - paid.count(index) for index, count in enumerate(held))


# Moving


def advance_cost(board: Board, start: Cell | None, to: Cell) -> int | None:
    """The terrain of which a card is due; None for a free advance. From the sea (ruling 4) and across it is never free."""
    if start is None or start[:-2] != to[:-2] or board.terrain(start) != board.terrain(to):
        return board.terrain(to)
    return None


def destinations(board: Board, start: Cell | None) -> list[Cell]:
    """The tiles next to the bird; from the sea all tiles by the sea; solo also the same tiles of the other islet."""
    if start is None:
        return sorted(cell for cell in board.tiles if board.coastal(cell))
    across = [c for c in board.tiles if board.solo and c[0] != start[0] and board.kind(c) == board.kind(start)]
    return sorted(board.near_tiles(start) + across)


Steps = list[tuple[Cell, frozenset[Cell], Payment]]


class Movement:
    """The advances open to a seat: ruling 6 (free advances do not return) and ruling 7 (not to stay with another bird)."""

    def __init__(self, board: Board, seat: int) -> None:
        self.board = board
        self.seat = seat
        self._leads_on: dict[Any, bool] = {}

    def steps(self, start: Cell | None, stood: frozenset[Cell], held: Purse) -> Steps:
        """All advances that can be paid: destination, the memory after it, and the payment."""
        found: Steps = []
        for to in destinations(self.board, start):
            cost = advance_cost(self.board, start, to)
            if cost is not None:
                found += [(to, frozenset([to]), paid) for paid in payments(cost, held)]
            elif to not in stood:
                found.append((to, stood | {to}, ()))
        return found

    def leads_on(self, start: Cell, stood: frozenset[Cell], held: Purse) -> bool:
        """Whether a chain of advances leads from a tile to one where the bird can stay, or it can stay right there."""
        if not self.board.shared(start, self.seat):
            return True
        key = start, stood, held
        if key not in self._leads_on:
            steps = self.steps(start, stood, held)
            self._leads_on[key] = any(self.leads_on(to, after, without(held, paid)) for to, after, paid in steps)
        return self._leads_on[key]

    def legal_steps(self, start: Cell | None, stood: frozenset[Cell], held: Purse) -> Steps:
        """The advances that do not end on another bird's tile for good."""
        steps = self.steps(start, stood, held)
        return [(to, after, paid) for to, after, paid in steps if self.leads_on(to, after, without(held, paid))]


def advances(description: Description, board: Board) -> Steps:
    seat = description["current_player"]
    start = board.birds[seat]
    stood = frozenset(map(tuple, description["stood"])) or frozenset([start] if start is not None else [])
    return Movement(board, seat).legal_steps(start, stood, purse(description, seat))


def lay_payments(description: Description, board: Board, cards: Cards | None) -> list[Payment]:
    """All ways to pay for an egg on the bird's tile; none where it may not be laid."""
    seat = description["current_player"]
    at = board.birds[seat]
    if at is None or board.egg(at) or board.shared(at, seat) or eggs_left(description, seat) == 0:
        return []
    if board.solo and not matching_slots(description, board, cards):
        return []
    return payments(nest(board.kind(at)), purse(description, seat))


def eggs_left(description: Description, seat: int) -> int:
    """Free eggs and those on guaranteed resources."""
    guaranteed: list[int] = description["guaranteed"][seat]
    return int(description["eggs"][seat]["free"]) + sum(guaranteed)


# Day and night cards


def holds(condition: str, board: Board, cell: Cell) -> bool:
    """Whether a condition of a day or night card holds for a tile."""
    word, _, value = condition.partition(" ")
    near = board.near_tiles(cell)
    match word:
        case "terrain":
            return board.terrain(cell) == TERRAINS.index(value)
        case "level_min":
            return board.level(cell) >= int(value)
        case "level_max":
            return board.level(cell) <= int(value)
        case "coastal":
            return board.coastal(cell)
        case "inland":
            return not board.coastal(cell)
        case "touches":
            return any(board.terrain(other) == TERRAINS.index(value) for other in near)
        case "touches_own":
            return any(board.terrain(other) == board.terrain(cell) for other in near)
        case "touches_no_own":
            return not any(board.terrain(other) == board.terrain(cell) for other in near)
        case "touches_egg":
            return any(board.egg(other) for other in near)
        case "touches_no_egg":
            return not any(board.egg(other) for other in near)
        case "peak":
            return all(board.level(cell) > board.level(other) for other in near)
        case "hollow":
            return any(board.level(cell) < board.level(other) for other in near)
    raise ValueError(f"not a condition: {condition}")


def matching_slots(description: Description, board: Board, cards: Cards | None) -> list[int]:
    """The slots of the cards of the bird's islet that hold for its tile."""
    assert cards is not None, "the solo rules need the day and night cards"
    at = board.birds[0]
    assert at is not None
    face = ("day", "night")[at[0]]
    return [slot for slot, card in enumerate(description["cards"][at[0]]) if holds(cards[card][face], board, at)]


# What is legal


def legal(description: Description, cards: Cards | None = None) -> list[Decision]:
    """All legal decisions in a position; empty when the game is over."""
    phase, seat = description["phase"], description["current_player"]
    if phase == "over":
        return []
    board = Board(description)
    hand = description["hands"][seat]
    picks: list[Decision] = [("pick", kind) for kind in sorted(set(hand))]
    match phase:
        case "start":
            return [("cell", *cell) for cell in sorted(board.tiles)]
        case "turn":
            explores = picks if places(description) else []
            moves = _legal_moves(description, board, cards)
            if board.solo and moves:
                moves = [("move_from_bag",), *([("move_from_hand",)] if len(hand) == HAND else [])]
            return [*explores, *moves, *([] if explores else [("end",)])]  # ruling 5
        case "place":
            return [("cell", *cell) for cell in places(description)]
        case "explore":
            return [*(picks if places(description) else []), ("end",)]
        case "discard":
            return [("resource", t) for t in _legal_discards(description)]
        case "keep":
            return picks
        case "move":
            at = board.birds[seat]
            may_end = description["moved"] and at is not None and not board.shared(at, seat)
            return [*_legal_moves(description, board, cards), *([("end",)] if may_end else [])]
        case "pay":
            return [("pay", *divmod(index, 2)) for index in _next_cards(description)]
        case "gain":
            held = description["guaranteed"][seat]
            return [("resource", t) for t in TYPES if description["stacks"][t] > 0 and held[t] < MOST_ALIKE]
        case "give_up":
            return [("resource", t) for t in TYPES if description["guaranteed"][seat][t] > 0]
        case "card":
            return [("card", slot) for slot in matching_slots(description, board, cards)]
    raise ValueError(f"not a phase of Islet: {phase}")


def _legal_moves(description: Description, board: Board, cards: Cards | None) -> list[Decision]:
    cells = sorted({to for to, _, _ in advances(description, board)})
    lay: list[Decision] = [("lay",)] if lay_payments(description, board, cards) else []
    return [*(("cell", *cell) for cell in cells), *lay]


def _legal_discards(description: Description) -> list[int]:
    """In non-descending type, so that as many as are still to be discarded remain at this and higher types (ruling 3)."""
    loose = description["loose"][description["current_player"]]
    due = sum(loose) - MOST_LOOSE
    least = 0 if description["discarded"] is None else description["discarded"]
    return [t for t in TYPES if t >= least and loose[t] > 0 and sum(loose[t:]) >= due]


# The payment that is being made


def _cost(description: Description, board: Board) -> int:
    payment, at = description["payment"], board.birds[description["current_player"]]
    if payment["for"] == "advance":
        return board.terrain(tuple(payment["to"]))
    assert at is not None
    return nest(board.kind(at))


def _paid(description: Description) -> Payment:
    return tuple(index for index, count in enumerate(description["payment"]["paid"]) for _ in range(count))


def _completions(description: Description) -> list[Payment]:
    """All whole payments that begin with the cards paid so far and do not strand the bird (ruling 7)."""
    seat, payment, paid = description["current_player"], description["payment"], _paid(description)
    board, held = Board(description), purse(description, seat)
    whole = [p for p in payments(_cost(description, board), held) if p[: len(paid)] == paid]
    if payment["for"] == "lay":
        return whole
    to = tuple(payment["to"])
    return [p for p in whole if Movement(board, seat).leads_on(to, frozenset([to]), without(held, p))]


def _next_cards(description: Description) -> list[int]:
    """The `pay` indices that go on with the payment; none when it is complete."""
    done = len(_paid(description))
    return sorted({p[done] for p in _completions(description) if len(p) > done})


# What a decision does


def apply(description: Description, decision: Decision, cards: Cards | None = None) -> Description:
    """The position after a legal decision, up to the next decision or the end. The given description stays as it is.

    "stream" is left alone.
    """
    after = deepcopy(description)
    seat, phase = after["current_player"], after["phase"]
    match decision:
        case ("pick", int(kind)) if phase == "keep":
            _remove_from_hand(after, kind)
        case ("pick", int(kind)):
            if phase == "turn":
                after["explore"] = {"picked": None, "last": None, "placed": 0, "gains": []}
            after["explore"]["picked"] = kind
            after["phase"] = "place"
        case ("cell", *cell) if phase == "start":
            after["birds"][0] = list(cell)
            after["phase"] = "turn"
        case ("cell", *cell) if phase == "place":
            _place(after, tuple(cell))
        case ("cell", *cell):
            _begin_move(after)
            _advance(after, tuple(cell))
        case ("lay",):
            _begin_move(after)
            after["payment"] = {"for": "lay", "to": None, "paid": [0] * 12}
            _pay_on(after)
        case ("pay", int(kind), int(source)):
            after["payment"]["paid"][2 * kind + source] += 1
            _pay_on(after)
        case ("resource", int(kind)) if phase == "discard":
            after["loose"][seat][kind] -= 1
            after["stacks"][kind] += 1
            after["discarded"] = kind
            _discard_on(after)
        case ("resource", int(kind)):
            _lay(after, kind, cards)
        case ("card", int(slot)):
            _use_card(after, slot)
        case ("move_from_bag",):
            _remove_from_bag(after)
        case ("move_from_hand",):
            after["phase"] = "keep"
        case ("end",) if phase == "explore":
            _finish_explore(after)
        case ("end",):
            _end_turn(after)
        case _:
            raise ValueError(f"not a decision of Islet: {decision} in phase {phase}")
    return after


# Explore


def _place(description: Description, cell: Cell) -> None:
    seat, explore = description["current_player"], description["explore"]
    kind = explore["picked"]
    tile = Board(description).tiles.get(cell)
    explore["gains"].append(gain(kind, None if tile is None else tile["kind"]))
    if tile is None:
        description["tiles"].append({"cell": list(cell), "level": 1, "kind": kind, "egg": None})
        description["tiles"].sort(key=lambda other: other["cell"])
    else:
        tile.update(level=tile["level"] + 1, kind=kind)
    description["hands"][seat].remove(kind)
    explore.update(picked=None, last=list(cell), placed=explore["placed"] + 1)
    description["phase"] = "explore"
    if explore["placed"] == MOST_PLACED or not description["hands"][seat]:
        _finish_explore(description)


def _finish_explore(description: Description) -> None:
    """2. Gain resources. 3. Gain tiles, then return loose resources down to 8."""
    seat = description["current_player"]
    for kind in description["explore"]["gains"]:
        if description["stacks"][kind] > 0:  # "If you must take one and none remain, you take none."
            description["stacks"][kind] -= 1
            description["loose"][seat][kind] += 1
    description["explore"] = None
    while len(description["hands"][seat]) < HAND:
        if not description["bag"]:
            if description["num_players"] == 1:
                _finish(description, "lost")
                return
            break
        description["hands"][seat] = sorted([*description["hands"][seat], description["bag"].pop(0)])
        if not description["bag"] and description["num_players"] > 1:
            _ends_after(description, description["round"] + 1)
    description["phase"] = "discard"
    _discard_on(description)


def _discard_on(description: Description) -> None:
    if sum(description["loose"][description["current_player"]]) <= MOST_LOOSE:
        description["discarded"] = None
        _end_turn(description)


# Move


def _begin_move(description: Description) -> None:
    """The memory of ruling 6 starts with the cell where the Move began; the sea is none."""
    if description["phase"] == "turn":
        at = description["birds"][description["current_player"]]
        description["stood"] = [] if at is None else [list(at)]
        description["phase"] = "move"


def _remove_from_bag(description: Description) -> None:
    """Solo: three tiles at random; with fewer than three left the game is lost at once."""
    _begin_move(description)
    for _ in range(REMOVED):
        if not description["bag"]:
            _finish(description, "lost")
            return
        description["removed"] = sorted([*description["removed"], description["bag"].pop(0)])


def _remove_from_hand(description: Description, kept: int) -> None:
    """Solo: all tiles in hand but one."""
    gone = list(description["hands"][0])
    gone.remove(kept)
    description["hands"][0] = [kept]
    description["removed"] = sorted([*description["removed"], *gone])
    description["phase"] = "turn"
    _begin_move(description)


def _advance(description: Description, to: Cell) -> None:
    board = Board(description)
    start = board.birds[description["current_player"]]
    if advance_cost(board, start, to) is None:
        _enter(description, to, [*description["stood"], list(to)])
        return
    description["payment"] = {"for": "advance", "to": list(to), "paid": [0] * 12}
    _pay_on(description)


def _enter(description: Description, to: Cell, stood: list[list[int]]) -> None:
    description["birds"][description["current_player"]] = list(to)
    description.update(stood=sorted(stood), moved=True, phase="move")


def _pay_on(description: Description) -> None:
    """Makes every `pay` that is the only legal one, then asks for the next, or does what has been paid for."""
    choices = _next_cards(description)
    while len(choices) == 1:
        description["payment"]["paid"][choices[0]] += 1
        choices = _next_cards(description)
    if choices:
        description["phase"] = "pay"
    else:
        _settle(description)


def _settle(description: Description) -> None:
    """The payment is complete: loose cards go back to their stacks, guaranteed ones are spent until the turn ends."""
    seat, payment = description["current_player"], description["payment"]
    for index in _paid(description):
        kind, source = divmod(index, 2)
        if source == 0:
            description["loose"][seat][kind] -= 1
            description["stacks"][kind] += 1
        else:
            description["spent"][seat][kind] += 1
    description["payment"] = None
    if payment["for"] == "advance":
        _enter(description, tuple(payment["to"]), [payment["to"]])
        return
    free = description["eggs"][seat]["free"]
    assert free != 1, "a single free egg"
    description.update(phase="gain" if free >= 2 else "give_up", stood=[list(description["birds"][seat])])


def _lay(description: Description, kind: int, cards: Cards | None) -> None:
    """Puts the egg on the bird's tile; `kind` is the guaranteed resource gained for it, or given up."""
    seat = description["current_player"]
    eggs, guaranteed, spent = description["eggs"][seat], description["guaranteed"][seat], description["spent"][seat]
    if description["phase"] == "gain":
        eggs["free"] -= 2  # one goes onto the tile, one onto the resource
        guaranteed[kind] += 1
        description["stacks"][kind] -= 1
    else:
        guaranteed[kind] -= 1
        spent[kind] = max(spent[kind] - 1, 0)  # Of two of a type, the spent one goes (ruling 9).
        description["stacks"][kind] += 1
    eggs["laid"] += 1
    Board(description).tiles[tuple(description["birds"][seat])]["egg"] = seat
    description.update(moved=True, phase="move")
    if eggs_left(description, seat) == 0:
        if description["num_players"] == 1:
            _finish(description, "won")
            return
        _ends_after(description, description["round"])
    if description["num_players"] == 1:
        slots = matching_slots(description, Board(description), cards)
        if len(slots) > 1:
            description["phase"] = "card"
        else:
            _use_card(description, slots[0])


def _use_card(description: Description, slot: int) -> None:
    """Solo: discard a card of the bird's islet, then refill the other islet from the deck."""
    islet = description["birds"][0][0]
    description["used"] = sorted([*description["used"], description["cards"][islet].pop(slot)])
    other = description["cards"][1 - islet]
    while len(other) < 2 and description["deck"]:
        other.append(description["deck"].pop(0))
    description["phase"] = "move"


# Turns, rounds and the end


def _ends_after(description: Description, last: int) -> None:
    """The earliest end triggered counts (ruling 11)."""
    before = description["last_round"]
    description["last_round"] = last if before is None else min(before, last)


def _end_turn(description: Description) -> None:
    """The turn is over; eggs on guaranteed resources stand up again; after the last seat the round is over too."""
    seat, n = description["current_player"], description["num_players"]
    description["spent"][seat] = [0] * 6
    description.update(stood=[], moved=False)
    if seat == n - 1:
        last = description["last_round"]
        if last is not None and description["round"] >= last:
            # Whoever has no egg left laid the last one in this very round.
            empty = any(eggs_left(description, other) == 0 for other in range(n))
            _finish(description, "last_egg" if empty else "last_tile")
            return
        if description["round"] >= ROUNDS:
            _finish(description, "cut_off")
            return
        description["round"] += 1
    description.update(current_player=(seat + 1) % n, phase="turn")


def _finish(description: Description, end: str) -> None:
    description.update(phase="over", current_player=None, end=end, stood=[], moved=False)


# Points


def score(description: Description, seat: int) -> int:
    """Eggs laid; solo the tiles left in the bag once the game is won."""
    if description["num_players"] == 1:
        return len(description["bag"]) if description["end"] == "won" else 0
    return int(description["eggs"][seat]["laid"])


def standing(description: Description, seat: int) -> tuple[int, list[int]]:
    """What decides the game: eggs laid, then the levels of the tiles under them from the highest down."""
    levels = sorted((tile["level"] for tile in description["tiles"] if tile["egg"] == seat), reverse=True)
    return int(description["eggs"][seat]["laid"]), levels


def ranks(description: Description) -> list[int]:
    """1 for a winner; who is equal shares a rank. All 0 before the game is over."""
    seats = range(description["num_players"])
    if description["phase"] != "over":
        return [0 for _ in seats]
    found = [standing(description, seat) for seat in seats]
    return [1 + sum(other > mine for other in found) for mine in found]


def rewards(description: Description) -> list[float]:
    """What each seat has been rewarded up to this position, of reward "outcome"."""
    n = description["num_players"]
    if n == 1:
        laid = description["eggs"][0]["laid"]
        return [laid / (laid + eggs_left(description, 0)) + score(description, 0) / 15]
    placed = ranks(description)
    winners = placed.count(1)
    if winners == 0:
        return [0.0] * n
    return [(n / winners - 1) / (n - 1) if rank == 1 else -1 / (n - 1) for rank in placed]


# What a seat may know


def seen_by(description: Description, seat: int) -> Description:
    """The description as far as a seat may know it."""
    view = deepcopy(description)
    view.pop("stream", None)
    view["bag"] = len(view["bag"])
    view["hands"] = [hand if other == seat else len(hand) for other, hand in enumerate(view["hands"])]
    if view["deck"] is not None:
        view["deck"] = len(view["deck"])
    return view
