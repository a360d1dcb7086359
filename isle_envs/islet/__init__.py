"""Islet: the rules, compiled. See ``README.md`` in this folder."""

from isle_envs.islet.game import Islet

__all__ = ["Islet"]
