"""What the README says about speed is what the kept run of the benchmarks says."""

from __future__ import annotations

import re

import pytest

from benchmarks import goals, plots, report
from benchmarks.record import RESULTS, Record

AGAIN = "python -m benchmarks.report"


@pytest.fixture(scope="module")
def record() -> Record:
    return Record.read()


def test_the_section_is_of_the_kept_run(record: Record) -> None:
    assert report.in_readme(report.README.read_text("utf-8")) == report.section(record), AGAIN


def test_the_page_is_of_the_kept_run(record: Record) -> None:
    assert report.PAGE.read_text("utf-8") == report.page(record), AGAIN


@pytest.mark.parametrize("name", ["batch", "faces"])
def test_the_plots_are_of_the_kept_run(record: Record, name: str) -> None:
    plot = RESULTS.with_name(f"{name}.svg")
    assert f"data {plots.digest(record)}" in plot.read_text("utf-8"), AGAIN
    assert plot.stat().st_size < 100_000
    assert f"benchmarks/{plot.name}" in report.section(record)


def test_the_goals_follow_from_the_rates(record: Record) -> None:
    assert goals.goals(record) == record.data["goals"]


def test_a_full_run_is_kept(record: Record) -> None:
    groups = {rate["group"] for rate in record.data["rates"]}
    assert groups >= {"engine", "vector", "faces", "learning"}
    assert {"memory", "starting", "skipped", "settings", "machine", "versions"} <= set(record.data)
    assert len(record.games) == 5
    for rate in record.data["rates"]:
        assert rate["low"] <= rate["median"] <= rate["high"]


def test_no_path_and_no_host_is_kept() -> None:
    for file in (RESULTS, report.PAGE):
        assert not re.search(r"https?://|/(?:home|root|tmp|work|usr|opt)/", file.read_text("utf-8")), file.name


def test_only_what_is_between_the_marks_is_replaced() -> None:
    text = "# A\n\n<!-- speed -->\nold\n<!-- end of speed -->\n\n## Licence\n"
    assert report.in_readme(text) == "old\n"
    assert report.in_readme("# A\n\n<!-- speed -->\nold\n\n## Licence\n") == "old\n"
    with pytest.raises(ValueError, match="speed"):
        report.in_readme("# A\n")
