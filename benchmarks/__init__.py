"""How fast the environments are, measured beside others in the same run. ``python -m benchmarks --help``."""
