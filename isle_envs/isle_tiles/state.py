"""The records of Isle Tiles: a game's state, and the tables that every game with the same options shares."""

from __future__ import annotations

import numpy as np

from isle_envs.core.rng import STREAM

SPACES = 60  # four board parts of 15 water spaces
PARTS, PART_SPACES = 4, 15
TILES = 50
PLAYERS = 4  # at most
MARKERS = 6  # values 1 … 6
CARDS, SLOTS = 20, 4
LANDSCAPES = 5
KINDS = 15  # of tiles: unordered pairs of landscapes, doubles included
POINTS_PER_TASK = 3
# Tiles that a position from elsewhere may hide: the supply, two removed ones, hands, and whatever it says was set aside.
MOST_HIDDEN = TILES + PLAYERS + PLAYERS * KINDS * (TILES - 2)

NOWHERE = SPACES  # no such space; a marker in front of its player
NONE = -1

# What is decided next. The first four belong to the draft of the board parts.
PART, TURN, ROW, COLUMN, TASK, PLACE, MARKER, OVER = range(8)
PHASES = ("part", "turn", "row", "column", "task", "place", "marker", "over")

# The draft's canvas: the first part's reference space in the middle, references in 0 … 30, spaces up to 2 beyond.
DRAFT_SIZE, DRAFT_CENTRE, DRAFT_REACH = 31, 15, 2
# Where layouts are put together: wide enough for parts in a chain, references up to 27 from the middle, spaces up to 4 beyond.
CANVAS, CANVAS_CENTRE, PART_REACH = 63, 31, 4

BOARD = np.dtype(
    [
        # Sets of spaces, bit i for space i:
        ("first", np.uint64),  # those that are the first of their row
        ("east", np.uint64),  # those with an eastern neighbour, which is the next space
        ("down", np.uint64, (2,)),  # those with a neighbour in the next row: SW, SE (hexes); S, none (squares)
        ("below", np.uint8, (SPACES,)),  # the first of those neighbours; the second is the space after it
        ("q", np.int8, (SPACES,)),  # axial column (hexes), column (squares)
        ("top", np.int8),  # the first row; rows are numbered downwards
    ]
)
"""A layout. Each pair of neighbours stands once, at its lower-numbered space."""

STATE = np.dtype(
    [
        ("stream", STREAM),
        ("board", BOARD),  # only where layouts differ from game to game
        ("land", np.uint64, (LANDSCAPES,)),  # the spaces of each landscape, bit i for space i
        ("height", np.uint8, (SPACES,)),
        ("marker_at", np.uint8, (PLAYERS, MARKERS)),  # space of the marker of value index + 1, or NOWHERE
        # What follows from land, markers and board, kept because a turn changes little of it (see areas.py):
        ("owned", np.uint64, (PLAYERS,)),  # the spaces of each seat's areas, bit i for space i
        ("area_size", np.uint8, (SPACES,)),  # the size of each space's area, 0 for water
        ("supply", np.uint8, (TILES - 2,)),  # tile kinds in order of drawing
        ("drawn", np.uint8),  # how many of them are gone
        ("supply_size", np.uint8),  # how many there were
        ("hand", np.int8, (PLAYERS,)),  # tile kind, or NONE
        ("removed", np.uint8, (2,)),  # the two tiles put aside at setup
        ("shown", np.int8),  # which of them lies on card 17, or NONE
        ("set_aside", np.uint8, (PLAYERS, KINDS)),  # tiles that could not be placed
        ("card", np.uint8, (SLOTS,)),  # 1 … 20
        ("taken_by", np.int8, (SLOTS,)),  # seat, or NONE
        ("noted", np.int16, (PLAYERS,)),  # score noted after the last turn, or NONE
        ("last_turns", np.int8),  # turns left, the running one included; NONE until the last tile is drawn
        ("placed", np.uint8, (2,)),  # the spaces of the halves of the tile just placed
        ("half", np.uint8),  # the first half that a marker may still go on
        ("used", np.uint8),  # the marker value placed in this step, or 0
        ("order", np.uint8, (PARTS,)),  # board parts as dealt
        ("laid", np.uint8),  # how many lie
        ("lay", np.uint8, (PARTS, 4)),  # part, turn, row, column in order of laying
        ("chosen", np.int8, (3,)),  # part, turn, row chosen so far, or NONE
        ("phase", np.uint8),
        ("current_player", np.int8),
    ]
)

TABLES = np.dtype(
    [
        ("num_players", np.int64),
        ("hexes", np.bool_),
        ("fixed_layout", np.bool_),
        ("draft", np.bool_),
        ("random_tasks", np.bool_),
        ("margin", np.bool_),
        ("board", BOARD),  # the first-game layout
        ("near", np.uint64, (SPACES,)),  # its spaces' neighbours, bit i for space i
        # How far its spaces' numbers are from those of their neighbours in the next row, and of which spaces that holds: (SW, SE).
        ("steps", np.int64),
        ("step", np.uint64, (SPACES,)),
        ("stepping", np.uint64, (SPACES, 2)),
        ("tile_count", np.int64, (KINDS,)),
        ("tile", np.uint8, (KINDS, 2)),  # landscapes of the halves, the lower number first
        ("below_direction", np.int64, (2,)),
        ("directions", np.int64),
        # A part's spaces from its reference space, for each turn, as bits: bit q + PART_REACH of row r + PART_REACH.
        ("part_row", np.uint64, (PARTS, 6, 2 * PART_REACH + 1)),
        ("part_turns", np.uint8, (PARTS, 6)),  # 1 for turns that give a shape no smaller turn gives
        ("part_reach", np.int64),  # how far a part's spaces lie from its reference space, at most
        ("reach", np.int64),  # how far references may lie from the middle
    ]
)
