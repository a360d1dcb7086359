"""The command line: ``isle list``, ``isle train``, ``isle evaluate``, ``isle replay``, ``isle demo``.

What is wrong with the input is said in one line on stderr, with exit code 2. torch comes in only with the commands that
need it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import gymnasium
import pettingzoo
from rich.console import Console
from rich.table import Table

import isle_envs
from agents import checkpoint
from agents.checkpoint import Metadata
from agents.errors import CheckpointError, RunError
from agents.evaluation import Results, evaluate
from agents.settings import CHECKPOINT_SECONDS, Budget, Settings
from agents.solo_evaluation import evaluate_solo
from isle_envs.core.components import read_components
from isle_envs.core.errors import ReplayError, unknown
from isle_envs.core.files import target
from isle_envs.core.game import Game
from isle_envs.core.policy import ENTRY_POINTS, make_policy
from isle_envs.core.replay import Replay

T = TypeVar("T")

MINUTES = 2.0
MOST_GAMES = 10_000_000
MOST_TORCH_THREADS = 4 * (os.cpu_count() or 1)
"""Very many threads crash torch."""
DEMO_FOLDER = Path("runs/demo")
SOLO = "_solo"


class UsageError(Exception):
    """Something is wrong with what the user typed; the message says what."""


def _count(text: str) -> int:
    """A whole number from 1, as argparse takes it."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text!r}")
    return int(text)


def _count_to(most: int) -> Callable[[str], int]:
    """A whole number from 1 to ``most``, as argparse takes it."""

    def count(text: str) -> int:
        if (value := _count(text)) > most:
            raise argparse.ArgumentTypeError(f"must be at most {most:,}, not {text}")
        return value

    return count


def _seconds(text: str) -> float:
    """A number above 0, as argparse takes it."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0, not {text!r}")
    return value


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit code: 0, 2 for bad input, 130 if interrupted."""
    try:
        arguments = _parser().parse_args(argv)
        arguments.run(arguments)
        sys.stdout.flush()
    except (UsageError, CheckpointError, RunError, ReplayError) as error:
        print(f"isle: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("isle: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has gone
        _drop_output()
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""  # without one it is the output, mostly
        print(f"isle: {where}{error.strerror or error}", file=sys.stderr)
        _drop_output()
        return 2
    except MemoryError:
        print("isle: not enough memory for this", file=sys.stderr)
        return 2
    return 0


def _drop_output() -> None:
    """If what was printed cannot be written, gives Python something to flush into at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="isle", description="Board games as reinforcement-learning environments: train, evaluate, replay."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    def command(name: str, run: Callable[[argparse.Namespace], None], words: str) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = commands.add_parser(name, help=words, description=words, allow_abbrev=False)
        added.set_defaults(run=run)
        return added

    command("list", _list, "show the games: players, options, policies, environment ids")

    train = command("train", _train, "train MaskablePPO on a game")
    _add_game(train)
    train.add_argument("--reward", help="what is rewarded (default: outcome)")
    train.add_argument("--opponents", nargs="+", metavar="POLICY", help="policies to play against (default: random)")
    train.add_argument("--minutes", type=float, help=f"minutes to train in all (default: {MINUTES:g}, unless --steps)")
    train.add_argument("--steps", type=int, help="decisions of the learner to train in all")
    train.add_argument("--run-dir", type=Path, metavar="DIR", help="the run folder (default: runs/GAME)")
    train.add_argument("--resume", action="store_true", help="go on from the newest checkpoint in the run folder")
    train.add_argument("--seed", type=int, help="seed of games, opponents and network (default: 0)")
    train.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of MaskablePPO, may be repeated"
    )
    train.add_argument(
        "--checkpoint-seconds",
        type=_seconds,
        default=CHECKPOINT_SECONDS,
        metavar="S",
        help="how often (default: %(default)g)",
    )
    train.add_argument(
        "--torch-threads",
        type=_count_to(MOST_TORCH_THREADS),
        metavar="N",
        help="threads of torch (default: 1 on small machines)",
    )

    compare = command("evaluate", _evaluate, "play policies against each other, with intervals")
    _add_game(compare)
    compare.add_argument(
        "--policies", nargs="+", required=True, metavar="POLICY", help="random, greedy, trained:PATH, …; at least two"
    )
    compare.add_argument(
        "--games", type=_count_to(MOST_GAMES), default=1000, help="games in each match (default: %(default)s)"
    )
    compare.add_argument("--seed", type=int, default=0, help="seed of deals and policies (default: %(default)s)")
    compare.add_argument("--json", type=Path, metavar="FILE", help="write the results to FILE as well")
    compare.add_argument("--threads", type=_count, default=1, help="threads of the game engine (default: %(default)s)")

    replay = command("replay", _replay, "show a recorded game, step by step")
    replay.add_argument("file", type=Path, help="a replay, as JSON")
    replay.add_argument("--moves", action="store_true", help="only what was played, without the positions")
    replay.add_argument("--seat", type=int, metavar="N", help="show only what this seat may know")

    demo = command("demo", _demo, "train on two-player Isle Tiles for two minutes, then show how good it got")
    demo.add_argument("--minutes", type=float, default=MINUTES, help="minutes to train (default: %(default)g)")
    demo.add_argument(
        "--games", type=_count_to(MOST_GAMES), default=1000, help="games in each match (default: %(default)s)"
    )
    demo.add_argument("--fresh", action="store_true", help="train anew even if there is a finished run")
    return parser


def _add_game(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="the game's name, as isle list shows it; with _solo behind it, for one player")
    parser.add_argument("--players", type=int, metavar="N", help="number of players")
    parser.add_argument("--components", type=Path, metavar="FILE", help="a component file of your own")
    parser.add_argument(
        "-o",
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game, may be repeated",
    )


# --- list


def _list(arguments: argparse.Namespace) -> None:
    more = [f"{entry.name}:PATH" for entry in entry_points(group=ENTRY_POINTS)]
    zoo = getattr(pettingzoo, "aec_registry", {})  # since PettingZoo 1.27
    registries: list[tuple[str, dict[str, Any]]] = [("Gymnasium", gymnasium.registry), ("PettingZoo", zoo)]
    for name, kind in isle_envs.GAMES.items():
        alone = f"1 is also {name}{SOLO} here" if 1 in kind.player_counts else ""
        rows = [("players", ", ".join(map(str, kind.player_counts)), alone)]
        rows += [
            (option, ", ".join(map(str, spec.choices)), spec.meaning) for option, spec in kind.option_specs.items()
        ]
        rows += [("policies", ", ".join([*kind.policies, *more]), "")]
        for library, registry in registries:
            rows += [(library, spec.id, "") for spec in registry.values() if spec.kwargs.get("game") == name]
        print(name)
        for title, values, meaning in rows:
            print(f"  {title:<16}{values:<32}  {meaning}".rstrip())
        print()


# --- train


def _train(arguments: argparse.Namespace) -> None:
    from agents import training

    folder: Path = arguments.run_dir or Path("runs") / arguments.game
    budget = None
    if arguments.minutes is not None or arguments.steps is not None:
        budget = _checked(Budget, steps=arguments.steps, minutes=arguments.minutes)
    how = {"checkpoint_seconds": arguments.checkpoint_seconds, "torch_threads": arguments.torch_threads}
    if arguments.resume:
        _require_same_run(arguments, folder)
        run = training.resume(folder, budget, **how)
    else:
        game = _game(arguments, reward=arguments.reward)
        opponents, settings = arguments.opponents or ["random"], _settings(arguments.set)
        for name in filter(None, (*opponents, settings.teacher)):
            _checked(make_policy, name, game)
        run = training.train(
            game,
            folder,
            budget or Budget(minutes=MINUTES),
            opponents=opponents,
            seed=arguments.seed or 0,
            settings=settings,
            **how,
        )
    print(f"trained {run.steps:,} steps in {run.seconds:.0f} s; checkpoint: {run.checkpoint}")
    print(f"It plays as the policy trained:{folder}")


def _require_same_run(arguments: argparse.Namespace, folder: Path) -> None:
    """A run is resumed as it was started: whatever is given once more must agree."""
    metadata = checkpoint.load(folder).metadata
    spec, was, settings = metadata.spec, metadata.settings, _settings(arguments.set)
    components = arguments.components and _checked(read_components, arguments.components)
    name, players = _name_and_players(arguments)
    options = spec["options"] | {"reward": spec["reward"]}
    given = [
        ("game", name, spec["game"]),
        ("--players", players, spec["num_players"]),
        ("--components", components, spec.get("components")),
        ("--reward", arguments.reward, spec["reward"]),
        ("--opponents", arguments.opponents, metadata.opponents),
        ("--seed", arguments.seed, metadata.seed),
        *((f"--option {name}", value, options.get(name)) for name, value in _options(arguments, name).items()),
        *((f"--set {name}", getattr(settings, name), getattr(was, name)) for name in _pairs(arguments.set)),
    ]
    for what, now, then in given:
        if now is not None and now != then:
            detail = "" if what == "--components" else f", {now}; it was started with {then}"
            raise RunError(f"{folder}: the run cannot go on with another {what}{detail}")


def _settings(pairs: list[str]) -> Settings:
    values = _pairs(pairs)
    valid = [field.name for field in dataclasses.fields(Settings)]
    for name in values:
        if name not in valid:
            raise UsageError(unknown("setting", name, valid))
    return _checked(Settings, **values)


# --- evaluate, replay, demo


def _evaluate(arguments: argparse.Namespace) -> None:
    game = _game(arguments)
    if len(arguments.policies) < min(2, game.num_players):
        raise UsageError("--policies needs at least two policies to compare")
    policies = [_checked(make_policy, name, game) for name in arguments.policies]
    if arguments.json is not None:  # before hours of playing
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        target(arguments.json)
    result: Results
    if game.num_players == 1:
        result = _checked(evaluate_solo, game, policies, arguments.games, arguments.seed, threads=arguments.threads)
    else:
        result = evaluate(game, policies, arguments.games, arguments.seed, threads=arguments.threads)
    _show(result)
    if arguments.json is not None:
        result.write_json(arguments.json)


def _replay(arguments: argparse.Namespace) -> None:
    replay = Replay.load(arguments.file)
    game, seat = replay.game, arguments.seat
    if seat is not None and not 0 <= seat < game.num_players:
        raise UsageError(f"--seat must be in 0 to {game.num_players - 1}, not {seat}")
    print(f"{arguments.file}: {game.name}, {game.num_players} players, {len(replay.actions)} decisions")
    for number, (batch, _, label) in enumerate(replay.positions(), start=1):
        if not arguments.moves:
            print(f"\n{game.text(batch.states[0], seat)}\n")
        if label is not None:
            print(f"{number:3}. player {batch.current_player[0]}: {label}")
    scores = ", ".join(f"player {k} {score}" for k, score in enumerate(replay.scores()))
    print(f"scores: {scores}{'' if batch.terminated[0] else ' (the game is not over)'}")


def _demo(arguments: argparse.Namespace) -> None:
    from agents import training

    game = isle_envs.make_game("isle_tiles", num_players=2)
    budget = _checked(Budget, minutes=arguments.minutes)
    folder, found = _demo_run(game, arguments.fresh)
    if found is None:
        print(f"Training MaskablePPO on two-player Isle Tiles against random play for {arguments.minutes:g} minutes.")
        training.train(game, folder, budget)
    elif budget.used(found.steps, found.seconds) < 1:
        print(f"Going on with the unfinished run in {folder} ({found.seconds:.0f} s trained).")
        training.resume(folder, budget)
    else:
        print(f"The run in {folder} is finished; playing with it again. To train anew: isle demo --fresh")
    print(f"Playing {arguments.games} games for each pair of policies, on the same deals with the seats swapped.\n")
    policies = [f"trained:{folder}", "greedy", "random"]
    result = evaluate(game, [_checked(make_policy, name, game) for name in policies], arguments.games)
    _show(result)
    result.write_json(folder / "evaluation.json")
    Replay.play(game, 1, policies[:2]).save(folder / "game.json")
    print(f"\nThese numbers as JSON:  {folder / 'evaluation.json'}")
    print(f"Learning curves:        tensorboard --logdir {folder}")
    print(f"A game against greedy:  isle replay {folder / 'game.json'}")


def _demo_run(game: Game, fresh: bool) -> tuple[Path, Metadata | None]:
    """The folder for the demo's run, the newest one or a new one, and what is known of the run in it, if any."""
    numbered = [DEMO_FOLDER, *(DEMO_FOLDER.with_name(f"{DEMO_FOLDER.name}-{k}") for k in range(2, 1000))]
    count = next(k for k, folder in enumerate(numbered) if not folder.exists())
    if count == 0 or fresh:
        return numbered[count], None
    folder = numbered[count - 1]
    try:
        found = checkpoint.load(folder)
        checkpoint.require_game(found, game)
    except CheckpointError as error:
        print(f"The last run cannot be used ({error}); starting a new one.")
        return numbered[count], None
    return folder, found.metadata


# --- what the commands share


def _game(arguments: argparse.Namespace, **more: Any) -> Game:
    """The game that the arguments ask for; ``islet_solo`` is ``islet`` with one player."""
    name, players = _name_and_players(arguments)
    options = _options(arguments, name) | {key: value for key, value in more.items() if value is not None}
    game: Game = _checked(
        isle_envs.make_game,
        name,
        num_players=players,
        components=arguments.components,
        **options,
    )
    return game


def _options(arguments: argparse.Namespace, name: str) -> dict[str, Any]:
    """The options that are given for the game ``name``; they are that game's, if there is one of that name."""
    options = _pairs(arguments.option)
    for option in options:
        if option in ("num_players", "components"):
            raise UsageError(f"--option {option} is not one; use --players or --components")
        if name in isle_envs.GAMES and option not in (valid := isle_envs.GAMES[name].option_specs):
            raise UsageError(f"{name}: {unknown('option', option, valid)}")
    return options


def _name_and_players(arguments: argparse.Namespace) -> tuple[str, int | None]:
    """The game's name, and the number of players if it is given, as such or by ``_solo``."""
    name, players = arguments.game, arguments.players
    if name.endswith(SOLO) and 1 in getattr(isle_envs.GAMES.get(name.removesuffix(SOLO)), "player_counts", ()):
        if players not in (None, 1):
            raise UsageError(f"{name} is played by one: --players {players} does not go with it")
        return name.removesuffix(SOLO), 1
    return name, players


def _pairs(texts: list[str]) -> dict[str, Any]:
    """NAME=VALUE arguments; a value is JSON, or True or False, if it can be read as such, else text."""
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f"{text!r} is not of the form NAME=VALUE")
        try:
            pairs[name] = json.loads({"True": "true", "False": "false"}.get(value, value))
        except (ValueError, RecursionError):
            pairs[name] = value
    return pairs


def _checked(make: Callable[..., T], *arguments: Any, **keywords: Any) -> T:
    """What ``make`` returns; its ValueError is the user's."""
    try:
        return make(*arguments, **keywords)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _show(result: Results) -> None:
    """Prints the results: a table with lines on a terminal, plain columns elsewhere."""
    if not sys.stdout.isatty():
        print(result)
        return
    header, *rows = result.rows()
    table = Table(*header)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
