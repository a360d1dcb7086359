"""A second Isla, written from the rulebook alone: slow, plain Python over the description of a position.

It shares no code with the engine but the random stream, so that the two can be held against each other. A *description*
is the dict of `game.describe(state)`; a *decision* is a tuple such as `("step", 0)`, as `game.actions.decode` gives it.

`Rules` is the rulebook with the sheet and the cards of a component file: `legal` and `apply` carry the game on from any
described position, `score`, `ranks` and `rewards` answer about one. `seen_by` hides what a seat may not know.

Numbers: dice 0-4 are D4 to D12, from left to right on the sheet; token kinds by name; cards and threats in file order.
A space is (row, column), row 0 in the north. Directions 0 north, 1 east, 2 south, 3 west.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

import numpy as np

from isle_envs.core import rng
from isle_envs.core.records import for_kernels

T = TypeVar("T")
Description = dict[str, Any]
Decision = tuple[Any, ...]
Space = tuple[int, int]

SPECIES = ("flora", "fauna", "fossil")
PLANS = ("rest", "explore", "research")
DICE = range(5)
DIRECTIONS: tuple[Space, ...] = ((-1, 0), (0, 1), (1, 0), (0, -1))
FIRST_BONUS, SECOND_BONUS = 5, 3
MARGIN = 20
SOLO_SCALE, SOLO_LOSS = 10, -3


def _grid(lines: list[str]) -> dict[Space, str]:
    return {(r, c): sign for r, line in enumerate(lines) for c, sign in enumerate(line.split())}


def copied(value: T) -> T:
    """A deep copy of a description or a part of it."""
    return cast(T, _copied(value))


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


# The random stream


def _stream(description: Description) -> Any:
    stream = for_kernels(np.zeros(1, rng.STREAM))
    stream["key"][0] = int(description["stream"]["key"], 16)
    stream["counter"][0] = description["stream"]["counter"]
    return stream


def _roll(description: Description, sides: int) -> int:
    """The value of one die."""
    stream = _stream(description)
    value = 1 + int(rng.below(stream[0], sides))
    description["stream"]["counter"] = int(stream["counter"][0])
    return value


def _shuffled(description: Description, cards: list[int]) -> list[int]:
    stream = _stream(description)
    array = np.array(sorted(cards), np.int64)
    rng.shuffle(stream[0], array)
    description["stream"]["counter"] = int(stream["counter"][0])
    return [int(card) for card in array]


class Rules:
    """The rules of Isla with one component file."""

    def __init__(self, components: Mapping[str, Any], *, threat_per_one: bool = False) -> None:
        self.threat_per_one = threat_per_one
        self.terrain = {at: sign for at, sign in _grid(components["map"]["terrain"]).items() if sign != "."}
        marks = _grid(components["map"]["marks"])
        self.rows = 1 + max(row for row, _ in marks)
        self.columns = 1 + max(column for _, column in marks)
        self.highlights = sorted(at for at, sign in marks.items() if sign == "o")
        (self.start,) = [at for at, sign in marks.items() if sign == "s"]
        (self.exit,) = [at for at, sign in marks.items() if sign == "x"]
        self.sides: list[int] = components["dice"]["sides"]
        self.dice_points: list[int] = components["dice"]["points"]
        icons = _grid(components["map"]["icons"])
        self.icons = {at: self.sides.index(int(sign)) for at, sign in icons.items() if sign not in ".-"}
        self.track: list[int] = components["exit_track"]["points"]
        self.cards: list[dict[str, Any]] = components["research"]["cards"]
        self.values = sorted({card["points"] for card in self.cards})
        self.threats: list[dict[str, Any]] = components["threat"]
        self.keepers = {keeper["name"]: keeper for keeper in components["keeper"]}
        self.bands: list[dict[str, Any]] = components["band"]
        self.round_limit: int = components["limits"]["round_limit"]

    # -------------------------------------------------------------------------------------------------- the map sheet

    def neighbours(self, at: Space) -> dict[int, Space]:
        """The spaces beside one by direction: orthogonally, never diagonally."""
        beside = {k: (at[0] + down, at[1] + right) for k, (down, right) in enumerate(DIRECTIONS)}
        return {k: space for k, space in beside.items() if space in self.terrain}

    def token(self, player: Mapping[str, Any], at: Space) -> str | None:
        """The map token that lies on a space of a player's sheet."""
        if at not in self.highlights:
            return None
        kind: str | None = player["tokens"][self.highlights.index(at)]
        return kind

    def free_neighbours(self, player: Mapping[str, Any]) -> dict[int, Space]:
        """Where the explorer may go: not into an explored space, nor one with the boulder."""
        explored = {tuple(space) for space in player["explored"]}
        return {
            direction: space
            for direction, space in self.neighbours(tuple(player["at"])).items()
            if space not in explored and self.token(player, space) != "boulder"
        }

    def kept(self, player: Mapping[str, Any], effect: str) -> list[dict[str, Any]]:
        """The threats beside a player's sheet that have an effect."""
        return [self.threats[card] for card in player["threats"] if self.threats[card]["effect"] == effect]

    def not_banned(self, player: Mapping[str, Any], dice: list[int]) -> list[int]:
        """Those of some dice that no kept threat bans."""
        banned = [self.sides.index(threat["die"]) for threat in self.kept(player, "ban")]
        return [die for die in dice if die not in banned]

    # ------------------------------------------------------------------------------------------------- what is legal

    def legal(self, description: Description) -> list[Decision]:
        """All legal decisions in a position; empty when the game is over."""
        phase, seat = description["phase"], description["current_player"]
        if phase == "over":
            return []
        player = description["players"][seat]
        token: list[Decision] = [("rest_token",)] if self._may_use_token(player) else []
        match phase:
            case "setup":
                tokens = player["tokens"]
                pairs = [(a, b) for b in range(len(tokens)) for a in range(b) if tokens[a] != tokens[b]]
                return [*(("swap", a, b) for a, b in pairs), ("keep",)]
            case "plan":
                return [*(("plan", PLANS.index(plan)) for plan in self.plans(description, seat)), *token]
            case "die":
                return [*(("die", die) for die in self.usable(description, seat)), *token]
            case "boost":
                owned = {self.cards[card]["points"] for card in player["cards"]}
                return [*(("boost", self.values.index(value)) for value in sorted(owned)), ("no_boost",), *token]
            case "step":
                steps: list[Decision] = [("step", direction) for direction in self.free_neighbours(player)]
                leave: list[Decision] = [("leave",)] if tuple(player["at"]) == self.exit else []
                return [*steps, *leave, *token]
            case "research":
                return [("research", slot) for slot in self.affordable(description, seat)]
        raise ValueError(f"not a phase of Isla: {phase}")

    def plans(self, description: Description, seat: int) -> list[str]:
        """1 Planning Phase: what a player can choose."""
        player = description["players"][seat]
        found = []
        if not player["rested"]:
            found.append("rest")
        can_go = bool(self.free_neighbours(player)) or tuple(player["at"]) == self.exit
        if self.not_banned(player, player["ready"]) and can_go:
            found.append("explore")
        if self.affordable(description, seat):
            found.append("research")
        return found

    def affordable(self, description: Description, seat: int) -> list[int]:
        """The slots of the pool whose card a player has the species tokens for."""
        hand = description["players"][seat]["hand"]
        return [
            slot
            for slot, card in enumerate(description["pool"])
            if card is not None and all(self.cards[card][kind] <= hand[kind] for kind in SPECIES)
        ]

    def usable(self, description: Description, seat: int) -> list[int]:
        """4 Explore Phase, 1: dice that are not exhausted, nor banned by a threat."""
        player = description["players"][seat]
        banned = description["round_state"][seat]["banned"]
        return [die for die in self.not_banned(player, player["ready"]) if die not in banned]

    def _may_use_token(self, player: Mapping[str, Any]) -> bool:
        return player["hand"]["rest"] > 0 and len(player["ready"]) < len(DICE)

    # --------------------------------------------------------------------------------------------- what a decision does

    def apply(self, description: Description, decision: Decision) -> Description:
        """The position after a legal decision, up to the next decision or the end. The given description stays as it is."""
        after = copied(description)
        seat = after["current_player"]
        player = after["players"][seat]
        match decision:
            case ("swap", int(a), int(b)):
                tokens = player["tokens"]
                tokens[a], tokens[b] = tokens[b], tokens[a]
                self._after_setup(after)
            case ("keep",):
                self._after_setup(after)
            case ("plan", int(plan)):
                after["round_state"][seat]["plan"] = PLANS[plan]
                self._planning(after, self._order(after).index(seat) + 1)
            case ("rest_token",):
                player["hand"]["rest"] -= 1
                _refresh_leftmost(player)
                if after["phase"] == "plan":  # There may still be no plan.
                    self._planning(after, self._order(after).index(seat))
            case ("die", int(die)):
                _exhaust(player, die)
                after["explore"] = {"die": die, "movement": 0}
                if player["cards"]:
                    after["phase"] = "boost"
                else:
                    self._begin_moving(after, 0)
            case ("boost", int(value)):
                points = self.values[value]
                card = next(card for card in player["cards"] if self.cards[card]["points"] == points)
                player["cards"].remove(card)
                player["boosted"] = card
                self._begin_moving(after, points)
            case ("no_boost",):
                self._begin_moving(after, 0)
            case ("step", int(direction)):
                self._step(after, direction)
            case ("leave",):
                self._leave(after)
            case ("research", int(slot)):
                self._buy(after, slot)
            case _:
                raise ValueError(f"not a decision of Isla: {decision}")
        return after

    def _order(self, description: Description) -> list[int]:
        """The seats in player order: from the first player clockwise."""
        n = description["num_players"]
        return [(description["first_player"] + k) % n for k in range(n)]

    def _active(self, description: Description, seat: int) -> bool:
        return bool(description["players"][seat]["status"] == "active")

    def _ask(self, description: Description, phase: str, seat: int) -> None:
        description.update(phase=phase, current_player=seat)

    def _after_setup(self, description: Description) -> None:
        """Before You Begin: each player may switch two map tokens, once."""
        seat = description["current_player"]
        if seat + 1 < description["num_players"]:
            description["current_player"] = seat + 1
        else:
            self._planning(description, 0)

    # 1 Planning Phase

    def _planning(self, description: Description, place: int) -> None:
        """Asks the next player in order, from a place in the order on; then the dice are rolled."""
        for seat in self._order(description)[place:]:
            player = description["players"][seat]
            if player["status"] != "active":
                continue
            if self.plans(description, seat) or self._may_use_token(player):
                self._ask(description, "plan", seat)
                return
            player["status"] = "lost"
            if self._ends_if_all_are_finished(description):
                return
        self._dice_roll(description)

    # 2 Dice Roll Phase

    def _dice_roll(self, description: Description) -> None:
        description["dice"] = [_roll(description, sides) for sides in self.sides]
        first, ones = description["first_player"], description["dice"].count(1)
        if description["num_players"] > 1 and self._active(description, first):
            for _ in range(ones if self.threat_per_one else min(ones, 1)):
                self._threat(description, first)
        self._rest(description)

    def _threat(self, description: Description, seat: int) -> None:
        """Resolving a Threat Card."""
        if not description["threat_deck"]:
            description["threat_deck"] = _shuffled(description, description["threat_discards"])
            description["threat_discards"] = []
        if not description["threat_deck"]:
            return
        card = description["threat_deck"].pop(0)
        threat, player = self.threats[card], description["players"][seat]
        if threat["time"] == "keep" and card not in player["threats"]:
            player["threats"] = sorted([*player["threats"], card])
            return
        description["threat_discards"] = sorted([*description["threat_discards"], card])
        if threat["time"] == "now":
            self._now(description, seat, threat)
        elif threat["time"] == "round":
            for other, state in enumerate(description["round_state"]):
                if threat["who"] == "all" or other == seat:
                    if threat["effect"] == "ban":
                        state["banned"] = sorted({*state["banned"], self.sides.index(threat["die"])})
                    else:
                        state["slow"] += threat["amount"]

    def _now(self, description: Description, seat: int, what: Mapping[str, Any]) -> None:
        """An effect or a keeper's action that is carried out at once, or not at all."""
        player = description["players"][seat]
        match what.get("effect", what.get("action")):
            case "exhaust":
                for die in self._which(what["die"], player["ready"]):
                    _exhaust(player, die)
            case "refresh":
                for die in self._which(what["die"], [die for die in DICE if die not in player["ready"]]):
                    _refresh(player, die)
            case "lose":
                if player["hand"][what["kind"]] > 0:
                    player["hand"][what["kind"]] -= 1
            case "discard_pool":
                gone = [card for card in description["pool"] if card is not None]
                description["discards"] = sorted([*description["discards"], *gone])
                description["pool"] = [None] * len(description["pool"])
                for slot in range(len(description["pool"])):
                    description["pool"][slot] = _draw(description)
            case other:
                raise ValueError(f"not an effect: {other}")

    def _which(self, die: int | str, dice: list[int]) -> list[int]:
        """The die among some that a threat or a keeper means, or none."""
        if die == "left":
            return dice[:1]
        if die == "right":
            return dice[-1:]
        assert isinstance(die, int)
        return [number for number in dice if self.sides[number] == die]

    # 3 Rest Phase

    def _rest(self, description: Description) -> None:
        for seat, player in enumerate(description["players"]):
            if description["round_state"][seat]["plan"] == "rest":
                player["rested"] = True
                _refresh_leftmost(player)
        description["before"] = copied(description["players"])
        self._exploring(description, 0)

    # 4 Explore Phase

    def _exploring(self, description: Description, place: int) -> None:
        """Asks the next explorer in order; one without a die, and without a rest token that helps, loses the exploration."""
        for seat in self._order(description)[place:]:
            state = description["round_state"][seat]
            if state["plan"] != "explore":
                continue
            if self.usable(description, seat) or self._token_would_help(description, seat):
                self._ask(description, "die", seat)
                description["explore"] = {"die": None, "movement": 0}
                return
            state["acted"] = True
        self._end_exploring(description)
        self._research(description, 0)

    def _token_would_help(self, description: Description, seat: int) -> bool:
        if not self._may_use_token(description["players"][seat]):
            return False
        trial = copied(description)
        _refresh_leftmost(trial["players"][seat])
        return bool(self.usable(trial, seat))

    def _end_exploring(self, description: Description) -> None:
        for player in description["players"]:
            if player["boosted"] is not None:
                description["discards"] = sorted([*description["discards"], player["boosted"]])
                player["boosted"] = None
        description.update(before=None, explore=None)

    def _begin_moving(self, description: Description, boost: int) -> None:
        """At least one space is moved, whatever the threats."""
        seat = description["current_player"]
        slow = description["round_state"][seat]["slow"]
        slow += sum(threat["amount"] for threat in self.kept(description["players"][seat], "slow"))
        rolled = description["dice"][description["explore"]["die"]]
        description["explore"]["movement"] = max(1, rolled + boost - slow)
        description["phase"] = "step"

    def _step(self, description: Description, direction: int) -> None:
        player = description["players"][description["current_player"]]
        at = self.neighbours(tuple(player["at"]))[direction]
        player["at"] = list(at)
        if self._caught(description):  # The game ends immediately: neither path nor pick-up.
            return
        player["explored"] = sorted([*player["explored"], list(at)])
        description["explore"]["movement"] -= 1
        kind = self.token(player, at)
        if kind is not None:  # Picking Up Items
            player["hand"][kind] += 1
            player["tokens"][self.highlights.index(at)] = None
        if at in self.icons:  # Refreshing Dice
            _refresh(player, self.icons[at])
        stuck = not self.free_neighbours(player) and at != self.exit
        if description["explore"]["movement"] == 0 or stuck:
            self._explored(description)

    def _leave(self, description: Description) -> None:
        """Exiting the Island: the remaining movement is spent on the exit track."""
        player = description["players"][description["current_player"]]
        player["track"] = min(description["explore"]["movement"], len(self.track))
        player.update(status="exited", exit_round=description["round"])
        if not self._ends_if_all_are_finished(description):
            self._explored(description)

    def _explored(self, description: Description) -> None:
        seat = description["current_player"]
        description["round_state"][seat]["acted"] = True
        self._exploring(description, self._order(description).index(seat) + 1)

    # 5 Research Phase

    def _research(self, description: Description, place: int) -> None:
        """Asks the next researcher in order who can pay for a card."""
        for seat in self._order(description)[place:]:
            if description["round_state"][seat]["plan"] == "research" and self.affordable(description, seat):
                self._ask(description, "research", seat)
                return
        if description["num_players"] == 1:
            self._keeper(description)
        if description["phase"] != "over":
            self._end_round(description)

    def _buy(self, description: Description, slot: int) -> None:
        seat = description["current_player"]
        player = description["players"][seat]
        card = description["pool"].pop(slot)
        for kind in SPECIES:
            player["hand"][kind] -= self.cards[card][kind]
        player["cards"].append(card)
        description["pool"].insert(0, _draw(description))
        self._research(description, self._order(description).index(seat) + 1)

    # Keeper Phase

    def _keeper(self, description: Description) -> None:
        card = _draw(description)
        if card is None:
            return
        keeper = description["keeper"]
        action = self.keepers[keeper["name"]]["actions"][self.cards[card]["symbol"]]
        match action["action"]:
            case "move":
                steps = description["dice"][self.sides.index(action["die"])] if "die" in action else action["steps"]
                for _ in range(steps):
                    self._keeper_step(description, action["first"])
                    if description["players"][0]["at"] == keeper["at"]:
                        break
            case "nothing":
                pass
            case "place":
                keeper["at"] = list(action["space"])
            case _:
                self._now(description, 0, action)
        description["discards"] = sorted([*description["discards"], card])
        self._caught(description)

    def _keeper_step(self, description: Description, first: str) -> None:
        """One space towards the player's column until it is reached, then towards the row; or the other way round."""
        at, goal = description["keeper"]["at"], description["players"][0]["at"]
        for axis in (1, 0) if first == "column" else (0, 1):
            if at[axis] != goal[axis]:
                at[axis] += 1 if at[axis] < goal[axis] else -1
                return

    def _caught(self, description: Description) -> bool:
        """Solo: whether the keeper and the explorer are on one space, which ends the game."""
        keeper, player = description["keeper"], description["players"][0]
        if keeper is None or keeper["at"] != player["at"]:
            return False
        player["status"] = "caught"
        self._finish(description, "caught")
        return True

    # 6 Prepare for Next Round

    def _end_round(self, description: Description) -> None:
        if description["round"] >= self.round_limit:
            for player in description["players"]:
                if player["status"] == "active":
                    player["status"] = "lost"
            self._finish(description, "cut_off")
            return
        farthest = description["pool"].pop()
        if farthest is not None:
            description["discards"] = sorted([*description["discards"], farthest])
        description["pool"].insert(0, _draw(description))
        description["first_player"] = (description["first_player"] + 1) % description["num_players"]
        description["round"] += 1
        _clear_round(description)
        self._planning(description, 0)

    # Game End

    def _ends_if_all_are_finished(self, description: Description) -> bool:
        """The game ends when all players have exited the island or become lost."""
        if any(player["status"] == "active" for player in description["players"]):
            return False
        alone = description["num_players"] == 1
        self._finish(description, description["players"][0]["status"] if alone else "finished")
        return True

    def _finish(self, description: Description, end: str) -> None:
        self._end_exploring(description)
        _clear_round(description)
        description.update(phase="over", current_player=None, end=end)

    # -------------------------------------------------------------------------------------------------------- the score

    def breakdown(self, description: Description, seat: int) -> dict[str, int]:
        """End Scoring, part by part, as the game stands."""
        player = description["players"][seat]
        return {
            "exit": self._exit_bonus(description, seat),
            "research": sum(self.cards[card]["points"] for card in player["cards"]),
            "threats": sum(self._threat_points(player, self.threats[card]) for card in player["threats"]),
            "dice": sum(self.dice_points[die] for die in player["ready"]),
            "track": self.track[player["track"] - 1] if player["track"] else 0,
            "unexplored": len(player["explored"]) - len(self.terrain),
        }

    def score(self, description: Description, seat: int) -> int:
        return sum(self.breakdown(description, seat).values())

    def _exit_bonus(self, description: Description, seat: int) -> int:
        """By round: everyone who left in the first round in which anybody left, and in the second such round."""
        players = description["players"]
        rounds = sorted({player["exit_round"] for player in players if player["status"] == "exited"})
        if players[seat]["status"] != "exited":
            return 0
        bonus: dict[int, int] = dict(zip(rounds, (FIRST_BONUS, SECOND_BONUS), strict=False))
        return bonus.get(players[seat]["exit_round"], 0)

    def _threat_points(self, player: Mapping[str, Any], threat: Mapping[str, Any]) -> int:
        """Points gained or lost for a threat beside the sheet."""
        explored = {tuple(space) for space in player["explored"]}
        amount: int = threat.get("amount", 0)
        match threat["effect"]:
            case "points":
                return amount
            case "explored":
                return amount * [self.terrain[at] for at in explored].count(threat["terrain"])
            case "unexplored":
                terrain = [sign for at, sign in self.terrain.items() if at not in explored]
                return amount * terrain.count(threat["terrain"])
            case "holding":
                kinds = SPECIES if threat["kind"] == "any" else (threat["kind"],)
                return amount * sum(int(player["hand"][kind]) for kind in kinds)
            case "research":
                return amount * len(player["cards"])
        return 0

    def ranks(self, description: Description) -> list[int]:
        """Points, then explored spaces, then research cards; who is equal shares a rank. All 0 before the game is over."""
        players = description["players"]
        if description["phase"] != "over":
            return [0 for _ in players]
        found = [
            (self.score(description, seat), len(player["explored"]), len(player["cards"]))
            for seat, player in enumerate(players)
        ]
        return [1 + sum(other > mine for other in found) for mine in found]

    def rewards(self, before: Description, after: Description, reward: str = "outcome") -> list[float]:
        """What each seat is rewarded for one decision, given the positions before and after it."""
        n = after["num_players"]
        if n == 1:
            return [self._solo_reward(before, after)]
        if after["phase"] != "over":
            return [0.0] * n
        if reward == "margin":
            scores = [self.score(after, seat) for seat in range(n)]
            return [(scores[s] - max(scores[:s] + scores[s + 1 :])) / MARGIN for s in range(n)]
        placed = self.ranks(after)
        winners = placed.count(1)
        return [(n / winners - 1) / (n - 1) if rank == 1 else -1 / (n - 1) for rank in placed]

    def _solo_reward(self, before: Description, after: Description) -> float:
        """The change of the score without the exit bonus, the first decision's reward containing all of it."""
        had = 0 if before["phase"] == "setup" else self.score(before, 0)
        if after["phase"] != "over" or after["end"] == "exited":
            return (self.score(after, 0) - had) / SOLO_SCALE
        return SOLO_LOSS - had / SOLO_SCALE

    def band(self, description: Description) -> str:
        """Solo Score Bands; nothing for a player who did not get out."""
        if description["num_players"] > 1 or description["end"] != "exited":
            return ""
        points = self.score(description, 0)
        text: str = [band["text"] for band in self.bands if "from" not in band or band["from"] <= points][-1]
        return text


# Dice and decks


def _exhaust(player: dict[str, Any], die: int) -> None:
    player["ready"].remove(die)


def _refresh(player: dict[str, Any], die: int) -> None:
    player["ready"] = sorted({*player["ready"], die})


def _refresh_leftmost(player: dict[str, Any]) -> None:
    for die in [die for die in DICE if die not in player["ready"]][:1]:
        _refresh(player, die)


def _draw(description: Description) -> int | None:
    """The top research card; an empty deck is first made of the discards, shuffled. None if there are none either."""
    if not description["deck"]:
        description["deck"] = _shuffled(description, description["discards"])
        description["discards"] = []
    return description["deck"].pop(0) if description["deck"] else None


def _clear_round(description: Description) -> None:
    description["round_state"] = [
        {"plan": None, "acted": False, "banned": [], "slow": 0} for _ in description["players"]
    ]


# What a seat may know


def seen_by(description: Description, seat: int) -> Description:
    """The description as far as a seat may know it; while others explore they are seen as they stood before."""
    view = copied(description)
    view.pop("stream", None)
    before = view.pop("before")
    view["deck"], view["threat_deck"] = len(view["deck"]), len(view["threat_deck"])
    if view["phase"] in ("die", "boost", "step"):
        for other in range(len(before)):
            if other != seat:
                view["players"][other] = before[other]
                view["round_state"][other]["acted"] = False
        if view["current_player"] != seat:
            view.update(phase="die", explore=None)
    return view
