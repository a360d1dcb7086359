"""See the package."""

from __future__ import annotations

import argparse
import json
import sys

from tests.golden import GAMES, kept, path_of, play, retraced

parser = argparse.ArgumentParser(prog="python -m tests.golden")
parser.add_argument("names", nargs="*", default=list(GAMES), help="which games; else all")
parser.add_argument("--write", action="store_true", help="keep the games anew")
parser.add_argument("--replay", action="store_true", help="play the kept actions, without asking the policies")
arguments = parser.parse_args()
different = []
for name in arguments.names:
    if arguments.write:
        path_of(name).write_text(json.dumps(play(name), indent=0) + "\n", "utf-8")
    elif (retraced(name) if arguments.replay else play(name)) != kept(name):
        different.append(name)
print(f"different: {', '.join(different)}" if different else f"{len(arguments.names)} golden games are the same")
sys.exit(bool(different))
