"""The records of Islet: a game's state, and the tables that every game with the same options shares."""

from __future__ import annotations

import numpy as np

from isle_envs.core.rng import STREAM

PLAYERS = 4  # at most
TILES, HAND = 90, 4
KINDS, TERRAINS = 9, 3  # tile kind = 3 × terrain + nest
TYPES = 6  # of resources: 0 … 2 terrains, 3 … 5 nests
STACK = 12  # cards of each type
MOST_CARDS = 60  # of a type, in positions from elsewhere, where they need not add up to twelve
SOURCES = 2  # of a payment: loose, guaranteed
LOOSE_LIMIT, GUARANTEED_LIMIT = 8, 2
NESTS_FOR_AN_EGG = 3
CARDS, SHOWN = 13, 2  # day and night cards; shown at each islet
REMOVED_BY_A_MOVE = 3
ROUNDS = 100

# Canvases: one of 18 × 31 cells, solo two of 14 × 27, beyond which everything is sea.
ROWS, COLUMNS = 18, 31
SOLO_ROWS, SOLO_COLUMNS = 14, 27
CELLS = 2 * SOLO_ROWS * SOLO_COLUMNS  # the larger of the two

NONE = -1
SEA = 255  # no tile: a bird that is in the sea, a side without a neighbour

# What is decided next.
START, TURN, PLACE, EXPLORE, DISCARD, KEEP, MOVE, PAY, GAIN, GIVE_UP, CARD, OVER = range(12)
PHASES = ("start", "turn", "place", "explore", "discard", "keep", "move", "pay", "gain", "give_up", "card", "over")

# How the game ended.
RUNNING, LAST_EGG, LAST_TILE, CUT_OFF, WON, LOST = range(6)
ENDS = ("", "last_egg", "last_tile", "cut_off", "won", "lost")

TILE = np.dtype(
    [
        ("cell", np.int16),
        ("level", np.uint8),
        ("kind", np.uint8),
        ("egg", np.int8),  # the seat whose egg lies there, or NONE
        ("near", np.uint8, (3,)),  # the tiles on its sides: left, right, and below or above; SEA for none
    ]
)
"""A place of the islet, in order of its first tile; its index is what the other fields call a tile."""

STATE = np.dtype(
    [
        ("stream", STREAM),
        (
            "stood",
            np.uint64,
            (2,),
        ),  # tiles stood on in this Move since the last payment or lay, bit i % 64 of word i // 64
        ("tile", TILE, (TILES,)),
        ("tiles", np.uint8),  # how many there are
        ("tile_at", np.uint8, (CELLS,)),  # tile + 1, or 0
        ("bird", np.uint8, (PLAYERS,)),  # the tile it stands on, or SEA
        ("bag", np.uint8, (TILES,)),  # kinds in order of drawing
        ("drawn", np.uint8),  # how many of them are gone
        ("bag_size", np.uint8),  # how many there were
        ("hand", np.uint8, (PLAYERS, KINDS)),
        ("removed", np.uint8, (KINDS,)),  # solo: tiles returned to the box
        ("stack", np.uint8, (TYPES,)),
        ("loose", np.uint8, (PLAYERS, TYPES)),
        ("guaranteed", np.uint8, (PLAYERS, TYPES)),
        ("spent", np.uint8, (PLAYERS, TYPES)),  # of the guaranteed ones, those spent this turn
        ("free_eggs", np.uint8, (PLAYERS,)),
        ("laid", np.uint8, (PLAYERS,)),
        # Explore
        ("picked", np.int8),  # the kind of the tile to be placed, or NONE
        ("placed", np.uint8),  # tiles placed in this Explore
        ("last", np.uint8),  # the tile placed last, or SEA
        ("gain", np.int8, (HAND,)),  # types to be taken for them
        ("discarded", np.int8),  # the type returned last, or NONE
        # Move
        ("moved", np.uint8),  # 1 if this Move has an Advance or a Lay
        ("target", np.uint8),  # the tile being paid for by an Advance, or SEA: a Lay is being paid for
        ("paid", np.uint8, (SOURCES * TYPES,)),
        # Solo
        ("deck", np.uint8, (CARDS,)),  # in order of drawing
        ("revealed", np.uint8),  # how many of them are gone
        ("shown", np.int8, (2, SHOWN)),  # the cards at each islet, the oldest first, or NONE
        # End of the game
        ("round_number", np.uint8),  # 1, 2, …
        ("last_round", np.uint8),  # the game ends after this round; 0: not yet known
        ("end", np.uint8),
        ("phase", np.uint8),
        ("current_player", np.int8),
    ]
)

TABLES = np.dtype(
    [
        ("num_players", np.int64),
        ("solo", np.bool_),
        ("margin", np.bool_),
        ("eggs", np.int64),  # each player's
        ("kind_count", np.int64, (KINDS,)),
        ("start", np.int16, (2, 6)),  # the cells of the start islets
        ("cells", np.int64),  # of the canvas or canvases
        ("islet_cells", np.int64),  # of one canvas
        ("cell_near", np.int16, (CELLS, 3)),  # the cells left, right, and below or above; NONE beyond the canvas
        ("condition", np.int8, (CARDS, 2, 2)),  # of each card, day and night: what is asked, and its number
        # The first number of each block of actions
        ("a_lay", np.int64),
        ("a_resource", np.int64),
        ("a_pay", np.int64),
        ("a_end", np.int64),
        ("a_move", np.int64),
        ("a_card", np.int64),
    ]
)

# Conditions of day and night cards.
(
    TERRAIN,
    LEVEL_MIN,
    LEVEL_MAX,
    COASTAL,
    INLAND,
    TOUCHES,
    TOUCHES_OWN,
    TOUCHES_NO_OWN,
    TOUCHES_EGG,
    TOUCHES_NO_EGG,
    PEAK,
    HOLLOW,
) = range(12)
CONDITIONS = (
    "terrain",
    "level_min",
    "level_max",
    "coastal",
    "inland",
    "touches",
    "touches_own",
    "touches_no_own",
    "touches_egg",
    "touches_no_egg",
    "peak",
    "hollow",
)
