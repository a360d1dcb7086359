"""What a training run writes while it runs: a CSV table, TensorBoard events, and a bar or lines for whoever watches."""

from __future__ import annotations

import csv
import io
import math
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from torch.utils.tensorboard import SummaryWriter

from isle_envs.core.files import write_atomically

TABLE = "progress.csv"
EVENTS = "tensorboard"
LINE_SECONDS = 10.0

COLUMNS = {
    "steps": "",
    "seconds": "",
    "steps_per_second": "time",
    "return": "games",
    "win_rate": "games",
    "length": "games",
    "policy_loss": "train",
    "value_loss": "train",
    "entropy": "train",
    "kl": "train",
    "clip_fraction": "train",
    "explained_variance": "train",
    "learning_rate": "train",
}
"""The columns of the CSV table; TensorBoard shows those with a group, as "group/column" over the steps."""


class Log:
    """The CSV table and the TensorBoard events of a run folder, one row an update.

    A run that is resumed at ``steps`` goes on as if it had never stopped: rows of work that was lost, because no
    checkpoint was written after it, are taken out of both.

    Raises OSError if the folder cannot be written.
    """

    def __init__(self, folder: Path, steps: int) -> None:
        path = folder / TABLE
        text = io.StringIO()
        writer = csv.DictWriter(text, list(COLUMNS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(_rows_until(path, steps))
        write_atomically(path, text.getvalue().encode())
        self._table = path.open("a", encoding="utf-8", newline="")
        self._writer = csv.DictWriter(self._table, list(COLUMNS), lineterminator="\n")
        self._events = SummaryWriter(str(folder / EVENTS), purge_step=steps + 1)

    def write(self, row: Mapping[str, float]) -> None:
        """Adds a row, with a value for each of ``COLUMNS``."""
        self._writer.writerow(row)
        self._table.flush()
        for column, group in COLUMNS.items():
            if group:
                self._events.add_scalar(f"{group}/{column}", row[column], int(row["steps"]))

    def secure(self) -> None:
        """Makes sure that all rows are on the disk: to be called before a checkpoint that counts on them."""
        os.fsync(self._table.fileno())
        self._events.flush()

    def close(self) -> None:
        """Closes the files."""
        self._table.close()
        self._events.close()


def _rows_until(path: Path, steps: int) -> list[dict[str, str]]:
    """The rows of a table up to ``steps``; a last line cut short by a kill is no row."""
    if not path.exists():
        return []
    lines = path.read_text("utf-8").splitlines(keepends=True)
    whole = [line for line in lines if line.endswith("\n")]
    rows = csv.DictReader(whole)
    return [row for row in rows if row.keys() == COLUMNS.keys() and int(row["steps"]) <= steps]


class Watch:
    """Shows how far a run is, on stderr: a bar on a terminal, else a line every ten seconds."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._console = Console(file=sys.stderr)
        self._next_line = 0.0
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[status]}"),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task(title, total=1.0, status="")

    def show(self, row: Mapping[str, float], used: float) -> None:
        """Shows the newest row; ``used`` is the share of the budget that is spent, 0 to 1."""
        status = f"{int(row['steps']):,} steps, {row['steps_per_second']:,.0f} a second"
        if not math.isnan(row["return"]):  # some episode has ended
            status += f", return {row['return']:+.2f}, {row['win_rate']:.0%} won"
        self._bar.update(self._task, completed=used, status=status)
        now = time.monotonic()
        if self._bar.disable and (now >= self._next_line or used >= 1):
            self._next_line = now + LINE_SECONDS
            print(f"{self._title}: {used:4.0%}, {status}", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
