"""Training, evaluation and the command line for the games of ``isle_envs``.

Importing this package imports nothing else: torch and stable-baselines3 come in with the modules that need them.
"""

DISTRIBUTION = "isle-envs"
"""The distribution this package belongs to, so that ``isle`` can tell it from another package named ``agents``."""
