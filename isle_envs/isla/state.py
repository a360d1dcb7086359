"""The records of Isla: a game's state, and the tables that every game with the same options shares."""

from __future__ import annotations

import numpy as np

from isle_envs.core.rng import STREAM

PLAYERS = 4  # at most
LONGEST = 12  # side of a map
CELLS = LONGEST * LONGEST
WORDS, WORD_BITS = 3, 64  # a set of spaces: cell i is bit i % 64 of word i // 64
DICE = 5
MOST_SIDES = 20
TERRAINS = 5
TERRAIN_WORDS = ("mountain", "jungle", "swamp", "beach", "cliff")
FLORA, FAUNA, FOSSIL, REST_TOKEN, BOULDER = range(5)  # kinds of map tokens
KINDS, SPECIES = 5, 3
# Planes of an observation after those of terrains and icons; the last, of all spaces, becomes that of the free ones.
START_PLANE, EXIT_PLANE, SEA_PLANE, FREE_PLANE = range(TERRAINS + DICE, TERRAINS + DICE + 4)
KIND_WORDS = ("flora", "fauna", "fossil", "rest", "boulder")
HIGHLIGHTS = 11  # spaces with a map token
MOST_TOKENS = HIGHLIGHTS - 2  # of the three species together
POOL = 4
MOST_CARDS, MOST_THREATS, MOST_KEEPERS, MOST_SYMBOLS, MOST_TRACK = 64, 64, 16, 8, 16
MOST_POINTS = 16  # of an entry
OWNED = MOST_TOKENS  # a card costs at least one species token
MOST_ROUNDS = 120
FIRST_BONUS, SECOND_BONUS = 5, 3

NONE = -1
NO_CELL = 255

# What is decided next.
SETUP, PLAN, DIE, BOOST, STEP, RESEARCH, OVER = range(7)
PHASES = ("setup", "plan", "die", "boost", "step", "research", "over")

# A player's plan for the round.
REST, EXPLORE, STUDY = range(3)
PLANS = ("rest", "explore", "research")

DIRECTIONS = 4
LEAVE = DIRECTIONS  # instead of a step; the action after these

# How a player stands.
ACTIVE, EXITED, LOST, CAUGHT = range(4)
STATUSES = ("active", "exited", "lost", "caught")

# How the game ended.
RUNNING, FINISHED, END_EXITED, END_LOST, END_CAUGHT, CUT_OFF = range(6)
ENDS = ("", "finished", "exited", "lost", "caught", "cut_off")

PLAYER = np.dtype(
    [
        ("explored", np.uint64, (WORDS,)),  # a set of spaces
        ("kept", np.uint64),  # a set of threats
        ("at", np.uint8),  # the explorer's space
        ("boulder", np.uint8),  # the boulder's space
        ("token", np.uint8, (HIGHLIGHTS,)),  # the kind of each map token where it lay, taken or not
        ("hand", np.uint8, (SPECIES + 1,)),  # map tokens taken and not spent; the last is the rest token
        ("ready", np.uint8),  # a set of dice: those not exhausted
        ("rested", np.uint8),  # 1 once the Rest Box is marked
        ("card", np.int8, (OWNED,)),  # research cards in order bought, then NONE
        ("cards", np.uint8),
        ("boosted", np.int8),  # the card returned in the running Explore Phase, or NONE
        ("status", np.uint8),
        ("exit_round", np.uint8),  # 0: has not exited
        ("track", np.uint8),  # spaces gone on the exit track
    ]
)
"""What is on and beside a player's map sheet. In the Explore Phase the others do not see it change."""

STATE = np.dtype(
    [
        # What every decision looks at stands first, in one cache line
        ("stream", STREAM),
        ("phase", np.uint8),
        ("current_player", np.int8),
        # What the current player may choose, a set of the phase's actions: it follows from the rest
        ("choices", np.uint64),
        ("player", PLAYER, (PLAYERS,)),
        ("before", PLAYER, (PLAYERS,)),  # the players as they stood when the running Explore Phase began
        # The round
        ("plan", np.int8, (PLAYERS,)),  # or NONE
        ("acted", np.uint8, (PLAYERS,)),  # 1: this explorer's exploration is over
        ("banned", np.uint8, (PLAYERS,)),  # a set of dice, for this round
        ("slow", np.uint8, (PLAYERS,)),  # for this round
        ("die", np.uint8, (DICE,)),  # what the dice show; zeros before the first roll
        ("chosen", np.int8),  # the die chosen by the explorer, or NONE
        ("movement", np.uint8),  # what is left of it
        # Cards
        ("discards", np.uint64),  # a set of research cards
        ("deck", np.uint8, (MOST_CARDS,)),  # in order of drawing
        ("drawn", np.uint8),  # how many of them are gone
        ("deck_size", np.uint8),
        ("pool", np.int8, (POOL,)),  # slot 0 is next to the deck; or NONE
        ("threat_deck", np.uint8, (MOST_THREATS,)),  # in order of drawing
        ("threats_drawn", np.uint8),
        ("threat_deck_size", np.uint8),
        ("threat_discards", np.uint8, (MOST_THREATS,)),  # how many of each name
        # Solo
        ("keeper", np.int8),  # or NONE
        ("keeper_at", np.uint8),  # a cell, or NO_CELL
        # End of the game
        ("round_number", np.uint8),  # 1, 2, …
        ("first_player", np.int8),
        ("end", np.uint8),
    ]
)

# Vocabulary of threats and keepers.
NOW, THIS_ROUND, KEEP = range(3)
TIMES = ("now", "round", "keep")
(EXHAUST, REFRESH, LOSE, DISCARD_POOL, BAN, SLOW, POINTS, EXPLORED, UNEXPLORED, HOLDING, RESEARCHED) = range(11)
EFFECTS = (
    "exhaust",
    "refresh",
    "lose",
    "discard_pool",
    "ban",
    "slow",
    "points",
    "explored",
    "unexplored",
    "holding",
    "research",
)
LEFT, RIGHT = DICE, DICE + 1  # besides a die's number: the left-most, the right-most one
ANY = SPECIES  # besides a species: any of them
NOTHING, MOVE, PLACE = 20, 21, 22  # a keeper's actions besides exhaust, lose and discard_pool

THREAT = np.dtype(
    [
        ("time", np.uint8),
        ("effect", np.uint8),
        ("what", np.int8),  # a die (or LEFT, RIGHT), species (or ANY) or terrain
        ("amount", np.int8),
        ("everyone", np.bool_),  # not only who draws it
        ("copies", np.uint8),
    ]
)
ACTION = np.dtype(
    [
        ("action", np.uint8),
        ("column_first", np.bool_),
        ("steps", np.uint8),
        ("what", np.int8),  # a die, species; move: the die whose value is the number of steps, or NONE
        ("space", np.uint8),  # where the keeper is put
    ]
)
"""What a keeper does when a symbol is drawn."""

TABLES = np.dtype(
    [
        ("num_players", np.int64),
        ("solo", np.bool_),
        ("margin", np.bool_),
        ("threat_per_one", np.bool_),
        ("rows", np.int64),
        ("columns", np.int64),
        ("spaces", np.int64),  # how many there are
        ("start", np.int64),
        ("exit", np.int64),
        ("row", np.int64, (CELLS,)),  # of each cell
        ("column", np.int64, (CELLS,)),
        ("near", np.uint8, (CELLS, 4)),  # the spaces to the north, east, south and west, or NO_CELL
        ("terrain", np.int8, (CELLS,)),  # NONE: no space
        ("terrain_spaces", np.uint64, (TERRAINS, WORDS)),  # a set of spaces
        ("icon", np.int8, (CELLS,)),  # the die refreshed, or NONE
        ("refreshed", np.uint8, (CELLS,)),  # the same as a set of dice
        ("highlight", np.uint8, (HIGHLIGHTS,)),  # their spaces
        ("highlight_at", np.int8, (CELLS,)),  # or NONE
        ("token_count", np.int64, (KINDS,)),
        ("token", np.uint8, (HIGHLIGHTS,)),  # the kinds of all of them, in ascending order
        ("sides", np.int64, (DICE,)),
        ("die_points", np.int64, (DICE,)),
        ("track", np.int64, (MOST_TRACK + 1,)),  # points after so many spaces
        ("track_length", np.int64),
        ("round_limit", np.int64),
        ("cards", np.int64),
        ("cost", np.uint8, (MOST_CARDS, SPECIES)),
        ("points", np.uint8, (MOST_CARDS,)),
        ("symbol", np.uint8, (MOST_CARDS,)),
        ("symbol_cards", np.uint64, (MOST_SYMBOLS,)),  # a set: the cards with each symbol
        ("symbols", np.int64),
        ("boosts", np.int64),  # how many different points cards have
        ("boost", np.uint8, (MOST_POINTS + 1,)),  # these points, ascending
        ("boost_index", np.int64, (MOST_POINTS + 1,)),  # where points stand among them
        ("threats", np.int64),  # names
        ("threat", THREAT, (MOST_THREATS,)),
        ("threat_cards", np.int64),
        ("threat_deck", np.uint8, (MOST_THREATS,)),  # the names of all cards, in ascending order
        ("ban_threats", np.uint64),  # a set: those that ban a die
        ("slow_threats", np.uint64),
        ("keepers", np.int64),
        ("keeper", np.int64),  # who plays, or NONE: drawn
        ("keeper_start", np.uint8, (MOST_KEEPERS,)),
        ("keeper_action", ACTION, (MOST_KEEPERS, MOST_SYMBOLS)),
        ("first_choice", np.int64, (OVER + 1,)),  # the number of each phase's first action
        # The first number of each block of actions
        ("a_plan", np.int64),
        ("a_rest_token", np.int64),
        ("a_die", np.int64),
        ("a_boost", np.int64),
        ("a_no_boost", np.int64),
        ("a_step", np.int64),
        ("a_leave", np.int64),
        ("a_research", np.int64),
        ("swap", np.uint8, (55, 2)),  # the two highlight spaces of each swap
        (
            "planes",
            np.int8,
            ((FREE_PLANE + 1) * CELLS,),
        ),  # what an observation begins with: terrain, icons, start, exit, holes, spaces
    ]
)
