"""The records of Islet: a game's state, and the tables that every game with the same options shares."""

from __future__ import annotations

import numpy as np

from isle_envs.core.rng import STREAM

PLAYERS = 4  # at most
TILES, HAND = 90, 4
KINDS, TERRAINS = 9, 3  # tile kind = 3 × terrain + nest
TYPES = 6  # of resources: 0 … 2 terrains, 3 … 5 nests
PAIRS = ((0, 2), (0, 1), (1, 2))  # the two terrains whose combination is each nest
STACK = 12  # cards of each type
MOST_CARDS = 60  # of a type, in positions from elsewhere, where they need not add up to twelve
SOURCES = 2  # of a payment: loose, guaranteed
LOOSE_LIMIT, GUARANTEED_LIMIT = 8, 2
NESTS_FOR_AN_EGG = 3
MOST_BILLS = 4  # that meet a cost
CARDS, SHOWN = 13, 2  # day and night cards; shown at each islet
REMOVED_BY_A_MOVE = 3
ROUNDS = 100

# Canvases: one of 18 × 31 cells, solo two of 14 × 27, beyond which everything is sea.
ROWS, COLUMNS = 18, 31
SOLO_ROWS, SOLO_COLUMNS = 14, 27
CELLS = 2 * SOLO_ROWS * SOLO_COLUMNS  # the larger of the two
CELL_WORDS = (CELLS + 63) // 64  # of a set of cells

NONE = -1
SEA = 255  # no tile: a bird that is in the sea, a side without a neighbour

# What is decided next.
START, TURN, PLACE, EXPLORE, DISCARD, KEEP, MOVE, PAY, GAIN, GIVE_UP, CARD, OVER = range(12)
PHASES = ("start", "turn", "place", "explore", "discard", "keep", "move", "pay", "gain", "give_up", "card", "over")

# How the game ended.
RUNNING, LAST_EGG, LAST_TILE, CUT_OFF, WON, LOST = range(6)
ENDS = ("", "last_egg", "last_tile", "cut_off", "won", "lost")

STATE = np.dtype(
    [
        # What most decisions look at stands first, in as few cache lines as possible; what is only drawn from stands last.
        ("phase", np.uint8),
        ("current_player", np.int8),
        # Players
        ("bird", np.uint8, (PLAYERS,)),  # the tile it stands on, or SEA
        ("hand", np.uint8, (PLAYERS, KINDS)),
        ("loose", np.uint8, (PLAYERS, TYPES)),
        ("guaranteed", np.uint8, (PLAYERS, TYPES)),
        ("spent", np.uint8, (PLAYERS, TYPES)),  # of the guaranteed ones, those spent this turn
        ("stack", np.uint8, (TYPES,)),
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
        ("stood", np.uint64, (2,)),  # the set of tiles stood on in this Move since the last payment or lay
        ("free_eggs", np.uint8, (PLAYERS,)),
        ("laid", np.uint8, (PLAYERS,)),
        # End of the game
        ("round_number", np.uint8),  # 1, 2, …
        ("last_round", np.uint8),  # the game ends after this round; 0: not yet known
        ("end", np.uint8),
        # The islet. A tile is a place of it, numbered in order of the first tile there.
        ("tiles", np.uint8),  # how many there are
        ("shore", np.uint64, (CELL_WORDS,)),  # the set of sea cells next to a tile; follows from the tiles' cells
        ("tile_cell", np.int16, (TILES,)),
        ("tile_kind", np.uint8, (TILES,)),
        ("tile_egg", np.int8, (TILES,)),  # the seat whose egg lies there, or NONE
        ("tile_level", np.uint8, (TILES,)),
        # What tiles and cards are drawn from
        ("drawn", np.uint8),  # how many tiles of the bag are gone
        ("bag_size", np.uint8),  # how many there were
        ("bag", np.uint8, (TILES,)),  # kinds in order of drawing
        ("removed", np.uint8, (KINDS,)),  # solo: tiles returned to the box
        ("shown", np.int8, (2, SHOWN)),  # solo: the cards at each islet, the oldest first, or NONE
        ("revealed", np.uint8),  # how many cards of the deck are gone
        ("deck", np.uint8, (CARDS,)),  # in order of drawing
        ("stream", STREAM),
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
        ("canvas", np.uint64, (2, CELL_WORDS)),  # the set of cells of each
        ("cell_near", np.int16, (CELLS, 3)),  # the cells left, right, and below or above; NONE beyond the canvas
        ("bill", np.uint8, (TYPES, MOST_BILLS, TYPES)),  # what meets each cost: so many cards of each type
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
