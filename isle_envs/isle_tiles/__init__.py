"""Isle Tiles: the rules, compiled. See ``README.md`` in this folder."""

from isle_envs.isle_tiles.game import IsleTiles

__all__ = ["IsleTiles"]
