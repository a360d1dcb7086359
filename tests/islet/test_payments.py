"""How costs are paid, held against an independent enumeration.

The enumeration goes through all multisets of a seat's unspent cards and tries, for each, every way to use its cards one by
one or in transformed pairs. A walk through all sequences of `pay` decisions, on the engine and the oracle at once, must
reach exactly these multisets, each of them once and in non-descending index.
By hand, for many more holdings:

    python -m tests.islet.test_payments 2000
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import pytest

from tests.islet.oracle import Decision, Description
from tests.islet.positions import (
    after,
    cell,
    counts,
    guard,
    guard_last,
    hold,
    legal,
    pay,
    resource,
    stand,
    start,
    to,
    with_cards,
)

LETTERS = "WSClbf"
Payment = tuple[int, ...]


# An enumeration of its own


def yields(first: str, second: str) -> str:
    """What two terrain cards can be transformed into: one of several types, as letters."""
    if first == second:
        return "".join(letter for letter in "WSC" if letter != first)
    return {"CW": "l", "SW": "b", "CS": "f"}["".join(sorted(first + second))]


def meets(cards: str, cost: str) -> bool:
    """Whether cards meet a cost exactly, each used as it is or transformed together with one other."""
    if not cards or not cost:
        return cards == cost
    first, rest = cards[0], cards[1:]
    if first in cost and meets(rest, cost.replace(first, "", 1)):
        return True
    if first not in "WSC":
        return False
    for k, second in enumerate(rest):
        if second in "WSC":
            for made in yields(first, second):
                if made in cost and meets(rest[:k] + rest[k + 1 :], cost.replace(made, "", 1)):
                    return True
    return False


def unspent(description: Description) -> list[int]:
    """How many cards of each `pay` index seat 0 could still use."""
    held = []
    for t in range(6):
        held += [description["loose"][0][t], description["guaranteed"][0][t] - description["spent"][0][t]]
    return held


def enumerated(held: list[int], cost: str) -> set[Payment]:
    """All multisets of cards that meet a cost exactly, as ascending `pay` indices."""
    found = set()
    for size in range(len(cost), 2 * len(cost) + 1):  # every unit of the cost takes one card or two
        for chosen in combinations_with_replacement([index for index in range(12) if held[index]], size):
            taken = Counter(chosen)
            if all(taken[index] <= held[index] for index in taken):
                if meets("".join(LETTERS[index // 2] for index in chosen), cost):
                    found.add(chosen)
    return found


# The walk


def paid_between(before: Description, now: Description) -> Payment:
    """What seat 0 has paid, from what it holds."""
    then, left = unspent(before), unspent(now)
    return tuple(index for index in range(12) for _ in range(then[index] - left[index]))


def walked(description: Description, decision: Decision) -> list[tuple[Payment, Description]]:
    """All ends of the payment that a `cell` or `lay` begins: what was paid, and the position after it."""
    ends: list[tuple[Payment, Description]] = []

    def walk(now: Description) -> None:
        if now["phase"] != "pay":
            ends.append((paid_between(description, now), now))
            return
        assert paid_between(description, now) == ()  # Cards change hands when the payment is complete.
        paid = [index for index in range(12) for _ in range(now["payment"]["paid"][index])]
        choices = legal(now)
        assert len(choices) > 1  # A `pay` that is the only legal one is made unasked.
        for block, kind, source in choices:
            assert block == "pay"
            assert 2 * kind + source >= max([0, *paid])  # named in non-descending index
            walk(after(now, (block, kind, source)))

    walk(after(description, decision))
    return ends


def check(description: Description, decision: Decision, wanted: set[Payment]) -> None:
    """A `cell` or `lay` is legal exactly if a payment exists, and the payments are the wanted ones."""
    assert (decision in legal(description)) == bool(wanted)
    if not wanted:
        return
    ends = walked(description, decision)
    assert Counter(paid for paid, _ in ends) == Counter(wanted)
    before = description["loose"][0], description["guaranteed"][0], description["spent"][0], description["stacks"]
    for paid, now in ends:
        loose, spent = [paid.count(2 * t) for t in range(6)], [paid.count(2 * t + 1) for t in range(6)]
        # Loose cards go back to their own stacks, guaranteed ones stay and are spent.
        assert now["loose"][0] == [count - gone for count, gone in zip(before[0], loose, strict=True)]
        assert now["guaranteed"][0] == before[1]
        assert now["spent"][0] == [count + gone for count, gone in zip(before[2], spent, strict=True)]
        assert now["stacks"] == [count + gone for count, gone in zip(before[3], loose, strict=True)]
        assert now["payment"] is None


def holding(chance: random.Random, description: Description, letters: str = LETTERS) -> None:
    """Give seat 0 up to nine loose resources and up to five guaranteed ones, some of them spent."""
    hold(description, 0, "".join(chance.choices(letters, k=chance.randint(0, 9))))
    guaranteed = "".join(chance.sample(LETTERS * 2, chance.randint(0, 5)))
    spent = "".join(letter for letter in guaranteed if chance.random() < 0.2)
    chance.choice([guard, guard_last])(description, 0, guaranteed, spent)


def advance_at_random(chance: random.Random) -> None:
    """To a tile of another terrain, or from the sea to any."""
    terrain, other = chance.sample("WSC", 2)
    d = start(tiles=f"{terrain}l {other}l Wb Sf Cb Wl")
    stand(d, chance.choice(["A", None]), None)
    holding(chance, d, chance.choice(["WSC", LETTERS]))
    check(d, to("B"), enumerated(unspent(d), other))


def lay_at_random(chance: random.Random) -> None:
    """On the bird's tile; without eggs there is no payment."""
    nest = chance.choice("lbf")
    d = start(tiles=f"{chance.choice('WSC')}{nest} Wl Wl Wl Wl Wl")
    stand(d, "A", None)
    holding(chance, d, chance.choice([{"l": "WCl", "b": "WSb", "f": "SCf"}[nest], LETTERS]))
    eggs = d["eggs"][0]["free"] + sum(d["guaranteed"][0])
    if d["eggs"][0]["free"] == 0 and eggs == 0:
        assert ("lay",) not in legal(d)
        return
    check(d, ("lay",), enumerated(unspent(d), 3 * nest))


def advance_past_a_bird_at_random(chance: random.Random) -> None:
    """Ruling 7: B holds another bird, and only payments that leave enough for A or C are offered."""
    terrain, other = chance.sample("WSC", 2)
    beyond = chance.choice("WSC")
    d = start(tiles=f"{terrain}l {other}l {beyond}l Sf Cb Wl")
    stand(d, "A", "B")
    holding(chance, d, "WSC")
    held = unspent(d)

    def leads_on(paid: Payment) -> bool:
        left = [count - paid.count(index) for index, count in enumerate(held)]
        return beyond == other or any(enumerated(left, way) for way in (terrain, beyond))

    check(d, to("B"), {paid for paid in enumerated(held, other) if leads_on(paid)})


def cross_at_random(chance: random.Random) -> None:
    """Solo: a card of the terrain that both tiles show."""
    terrain = chance.choice("WSC")
    d = start(1, f"{terrain}l Wb Wb Wb Wb Wb Wf {terrain}l Wf Wf Wf Wf")
    holding(chance, d, chance.choice(["WSC", LETTERS]))
    with_cards(d, "day terrain fresh water", "day peak")
    d.update(phase="move", moved=True, stood=[list(cell("0A"))])
    check(d, to("1B"), enumerated(unspent(d), terrain))


SITUATIONS: list[Callable[[random.Random], None]] = [
    advance_at_random,
    lay_at_random,
    advance_past_a_bird_at_random,
    cross_at_random,
]


@pytest.mark.parametrize("situation", SITUATIONS)
def test_all_payments_at_random_holdings(situation: Callable[[random.Random], None]) -> None:
    for seed in range(15):
        situation(random.Random(seed))


# By hand


def bird_on(tile: str, loose: str, guaranteed: str = "", spent: str = "", beside: str = "Wl") -> Description:
    """Seat 0's bird on A, with B beside it."""
    d = start(tiles=f"{tile} {beside} Wl Wl Wl Wl")
    stand(d, "A", None)
    hold(d, 0, loose)
    guard(d, 0, guaranteed, spent)
    return d


def choices(description: Description, *decisions: Decision) -> set[Any]:
    """The cards that can be paid after some decisions, as letters, guaranteed ones with a star."""
    if decisions:
        description = after(description, *decisions)
    return {LETTERS[kind] + "*" * source for _, kind, source in legal(description)}


def test_two_identical_terrain_cards_make_any_other() -> None:
    assert to("B") in legal(bird_on("Wl", "CC", beside="Sl"))
    assert to("B") in legal(bird_on("Wl", "WW", beside="Sl"))
    assert to("B") not in legal(bird_on("Wl", "WC", beside="Sl"))  # two different ones make a nest
    assert to("B") not in legal(bird_on("Wl", "CllbbffW", beside="Sl"))  # nests are never transformed


def test_a_transformed_card_is_not_transformed_again() -> None:
    """Ruling 8: of clay alone two cards could be made fresh water, and with a third clay leaves."""
    assert ("lay",) not in legal(bird_on("Wl", "CCCCCCll"))
    assert ("lay",) in legal(bird_on("Wl", "WCCCCCll"))
    # Two sand from four clay would make fresh water; two clay do so at once.
    assert after(bird_on("Cl", "SSSS", beside="Wl"), to("B"))["loose"][0] == counts("SS")


def test_two_different_terrain_cards_make_the_nest_of_their_combination() -> None:
    for nest, pair, others in [("l", "WC", ["WS", "SC", "WW"]), ("b", "WS", ["WC", "SC"]), ("f", "SC", ["WC", "WS"])]:
        assert ("lay",) in legal(bird_on("W" + nest, nest * 2 + pair))
        assert ("lay",) in legal(bird_on("W" + nest, nest + pair * 2))
        assert ("lay",) in legal(bird_on("W" + nest, pair * 3))
        for other in others:
            assert ("lay",) not in legal(bird_on("W" + nest, nest * 2 + other))


def test_guaranteed_resources_are_transformed_too() -> None:
    d = bird_on("Wl", "C", "CC", beside="Sl")
    d = after(d, to("B"))
    # Of C, C*, C* two are due: C and C*, or C* and C*.
    assert choices(d) == {"C", "C*"}
    assert after(d, pay("C"))["spent"][0] == counts("C")
    d = after(d, pay("C", guaranteed=True))
    assert (d["loose"][0], d["spent"][0]) == (counts("C"), counts("CC"))
    assert after(bird_on("Wl", "llW", "C"), ("lay",))["spent"][0] == counts("C")


def test_a_guaranteed_resource_once_per_turn() -> None:
    assert to("B") not in legal(bird_on("Wl", "", "S", spent="S", beside="Sl"))
    assert to("B") in legal(bird_on("Wl", "", "SS", spent="S", beside="Sl"))
    assert ("lay",) not in legal(bird_on("Wl", "l", "ll", spent="l"))
    assert ("lay",) in legal(bird_on("Wl", "l", "ll"))


def test_an_empty_stack_does_not_hinder_transforming() -> None:
    d = bird_on("Wl", "CC", beside="Sl")
    hold(d, 1, "SSSSSSSSSSSS")
    assert d["stacks"][1] == 0
    d = after(d, to("B"))
    assert (d["stacks"][1], d["stacks"][2]) == (0, 12)


def test_inputs_return_to_their_own_stacks() -> None:
    d = bird_on("Wf", "SCSCSC")
    d = after(d, ("lay",))
    assert (d["loose"][0], d["stacks"]) == (counts(""), [12] * 6)


def test_a_payment_that_is_the_only_one_is_made_unasked() -> None:
    d = after(bird_on("Wl", "lllWS"), ("lay",))
    assert (d["phase"], d["loose"][0]) == ("gain", counts("WS"))
    d = after(bird_on("Wl", "SSCf", beside="Cl"), to("B"), pay("C"))
    assert (d["phase"], d["loose"][0]) == ("move", counts("SSf"))


def test_a_single_choice_in_the_middle_of_a_payment_is_made_unasked() -> None:
    d = bird_on("Wl", "SSW", "C", beside="Cl")
    d = after(d, to("B"))
    assert choices(d) == {"S", "C*"}
    assert after(d, pay("S"))["loose"][0] == counts("W")  # the second S of the pair
    # For leaves W, C, l, l and l*: with W go C, an l and a second l, which may be l*. Without W all three are due.
    d = after(bird_on("Wl", "WCll", "l"), ("lay",))
    assert choices(d) == {"W", "l"}
    d2 = after(d, pay("W"))
    assert d2["payment"]["paid"] == [1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]  # C and l went unasked
    assert choices(d2) == {"l", "l*"}
    assert (after(d2, pay("l"))["phase"], after(d2, pay("l"))["spent"][0]) == ("gain", counts(""))
    assert (after(d, pay("l"))["phase"], after(d, pay("l"))["loose"][0]) == ("gain", counts("WC"))


def test_two_transformations_are_named_a_a_b_b() -> None:
    """W, W, C, C and two leaves: one or two transformations."""
    d = after(bird_on("Wl", "WWCCll"), ("lay",))
    assert d["payment"]["paid"] == [1, *[0] * 11]  # one W is due in either case
    assert choices(d) == {"W", "C"}
    d2 = after(d, pay("W"))
    assert (d2["phase"], d2["loose"][0]) == ("gain", counts("l"))  # C, C, l
    d2 = after(d, pay("C"))
    assert (d2["phase"], d2["loose"][0]) == ("gain", counts("WC"))  # l, l


def test_what_is_named_never_goes_down() -> None:
    """S or C, C: whoever begins with C cannot name S any more."""
    d = after(bird_on("Wl", "SCC", "S", beside="Sl"), to("B"))
    assert choices(d) == {"S", "S*", "C"}
    assert after(d, pay("C"))["loose"][0] == counts("S")


def test_the_resource_gained_may_be_used_for_the_next_lay() -> None:
    d = bird_on("Wl", "lllll")
    d = after(d, ("lay",), resource("l"), to("B"))
    assert ("lay",) in legal(d)
    d = after(d, ("lay",))
    assert (d["loose"][0], d["spent"][0]) == (counts(""), counts("l"))


def main(holdings: int) -> None:
    """Check so many holdings of every situation, with new seeds."""
    first = random.SystemRandom().randrange(2**32)
    for situation in SITUATIONS:
        for seed in range(first, first + holdings):
            situation(random.Random(seed))
        print(f"{holdings} holdings agree: {situation.__name__}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
