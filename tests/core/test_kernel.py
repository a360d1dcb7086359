"""The ``@kernel`` cache, tried on a copy of it in an empty folder, in fresh processes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from isle_envs.core import kernel as kernel_module

LOOP = """
from isle_envs.core.helper import double
from isle_envs.core.kernel import kernel

def make_loop(play):
    @kernel
    def loop(states, n):
        total = 0
        for i in range(n):
            total += double(play(states[i % len(states)], i))
        return total
    return loop
"""
HELPER = """
from isle_envs.core.kernel import kernel

@kernel
def double(value):
    return 2 * value
"""
GAME = """
import numpy as np
from isle_envs.core.kernel import kernel
from isle_envs.core.loop import make_loop
from {name} import parts

STATE = np.dtype([("key", np.uint64), ("hand", np.int8, (2, 3))])

@kernel
def play(state, i):
    return parts.gain(state, i) if i in {{0, 1, 2, 3}} else parts.BONUS

loop = make_loop(play)

def value():
    return int(loop(np.zeros(2, STATE).view(np.recarray), 5))
"""
PARTS = """
from isle_envs.core.kernel import kernel

BONUS = {bonus}

@kernel
def gain(state, i):
    return state.hand[0, 0] + i + {gain}
"""
# 2 · ((0 + 1 + 2 + 3) + 4 · gain + bonus)
SHOW = "; show(value={name}.value(), hits={name}.loop.stats.cache_hits.total())"


class Lab:
    """A folder with a copy of the kernel module, packages of kernels beside it, and processes that use them.

    Edits change a file's length: Python itself overlooks others within the second.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("isle_envs/__init__.py", "# empty")
        self.write("isle_envs/core/__init__.py", "")
        self.write("isle_envs/core/loop.py", LOOP)
        self.write("isle_envs/core/helper.py", HELPER)
        shutil.copy(kernel_module.__file__, folder / "isle_envs/core/kernel.py")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def write_game(self, name: str, *, bonus: int, gain: int) -> None:
        self.write(f"{name}/__init__.py", "# empty")
        self.write(f"{name}/game.py", GAME.format(name=name))
        self.write(f"{name}/parts.py", PARTS.format(bonus=bonus, gain=gain))

    def kept(self) -> list[Path]:
        return sorted(path for path in self.folder.rglob("*.nbc") if path.is_file())

    def start(self, code: str, *options: str, **environment: str) -> "subprocess.Popen[str]":
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTHON"))}
        clean |= {"PYTHONPATH": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "home"), **environment}
        clean["PYTHONDONTWRITEBYTECODE"] = "1"  # Python overlooks an edit of the same length within a second
        code = f"import json\ndef show(**what): print(json.dumps(what))\n{code}"
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, *options, "-c", code], cwd=self.folder, env=clean, stdout=pipe, stderr=pipe, text=True
        )

    def run(self, code: str, *options: str, **environment: str) -> Any:
        return self.result(self.start(code, *options, **environment))

    def play(self, name: str, **environment: str) -> Any:
        """Value of a game in a new process, and whether its loop came from disk (1) or was compiled (0)."""
        shown = self.run(f"from {name} import game" + SHOW.format(name="game"), **environment)
        return shown["value"], shown["hits"]

    @staticmethod
    def result(process: "subprocess.Popen[str]") -> Any:
        out, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        return {**json.loads(out.splitlines()[-1]), "stderr": errors}


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    made = Lab(tmp_path)
    made.write_game("one", bonus=5, gain=0)
    return made


def test_a_loop_over_kernels_is_found_again(lab: Lab) -> None:
    assert lab.play("one", PYTHONHASHSEED="1") == (22, 0)
    assert lab.play("one", PYTHONHASHSEED="2") == (22, 1)


def test_two_games_through_one_factory_keep_their_own_code(lab: Lab) -> None:
    lab.write_game("two", bonus=100, gain=1)
    assert lab.play("one") == (22, 0)
    assert lab.play("two") == (220, 0)
    assert (lab.play("one"), lab.play("two")) == ((22, 1), (220, 1))
    lab.write_game("two", bonus=100, gain=20)
    assert lab.play("two") == (372, 0)
    assert (lab.play("one"), lab.play("two")) == ((22, 1), (372, 1))
    both = "from one import game as a; from two import game as b; show(values=[a.value(), b.value(), a.value()])"
    assert lab.run(both)["values"] == [22, 372, 22]


def test_code_kept_by_two_processes_lives_together_in_a_third(lab: Lab) -> None:
    """numba's own names for the two ``fall`` would clash: the first one loaded would serve both loops."""
    lab.write(
        "deep.py",
        """
from isle_envs.core.kernel import kernel

def make(factor):
    @kernel
    def fall(i, depth):  # too long to be inlined twice
        for a in range(depth):
            for b in range(i):
                i = i * factor % 1013 if a < b else i // factor + a
                while i % 7 > 3:
                    i -= b % 2 + 1
            for b in range(depth):
                i += b // factor if i % 5 == 2 else depth * i % 11
                while i % 9 > 5:
                    i -= a % 2 + 1
        return i

    @kernel
    def loop(n):
        return fall(n, 4) + fall(n + 1, n)
    return loop

loops = {"three": make(3), "seven": make(7)}
""",
    )

    values = "; show(values=[loop(6) for loop in called]"
    hits = ", hits=[loop.stats.cache_hits.total() for loop in called])"

    def run(*names: str) -> tuple[list[int], list[int]]:
        shown = lab.run(f"from deep import loops; called = [loops[name] for name in {names}]{values}{hits}")
        return shown["values"], shown["hits"]

    plain = lab.run(f"from deep import loops; called = loops.values(){values})", NUMBA_DISABLE_JIT="1")
    three, seven = plain["values"]
    assert three != seven
    assert run("three") == ([three], [0])
    assert run("seven") == ([seven], [0])
    assert run("three", "seven") == ([three, seven], [1, 1])
    assert run("seven", "three") == ([seven, three], [1, 1])


def test_recursion_which_numba_cannot_load_is_not_kept(lab: Lab) -> None:
    lab.write(
        "deep.py",
        """
from isle_envs.core.kernel import kernel

@kernel
def fall(i, depth):
    return i if depth <= 0 else fall(i + depth, depth - 1) + fall(i, depth - 2)

@kernel
def loop(i):
    return fall(i, 2)  # the literal's type is not that of depth - 1
""",
    )
    for _ in range(2):  # fall(1, 2) = fall(3, 1) + fall(1, 0) = fall(4, 0) + fall(3, -1) + 1
        shown = lab.run("from deep import loop; show(value=loop(1), hits=loop.stats.cache_hits.total())")
        assert (shown["value"], shown["hits"]) == (8, 0)
        assert shown["stderr"].count("RuntimeWarning: compiled kernels are not kept on disk: deep.fall is rec") == 1


def test_a_field_named_like_the_kernel_is_no_recursion(lab: Lab) -> None:
    lab.write(
        "scores.py",
        """
import numpy as np
from isle_envs.core.kernel import kernel

@kernel
def score(state):
    return state[0].score

STATE = np.zeros(1, [("score", np.int8)])
""",
    )
    code = "from scores import STATE, score; show(value=int(score(STATE)), hits=score.stats.cache_hits.total())"
    assert lab.run(code, "-W", "error") == {"value": 0, "hits": 0, "stderr": ""}
    assert lab.run(code, "-W", "error") == {"value": 0, "hits": 1, "stderr": ""}


def test_an_edit_recompiles(lab: Lab) -> None:
    assert lab.play("one") == (22, 0)
    kept = lab.kept()
    for file, old, new, value in (
        ("one/parts.py", "+ i + 0", "+ i + 20", 182),
        ("one/parts.py", "BONUS = 5", "BONUS = 60", 132),
        ("one/game.py", "{0, 1, 2, 3}", "{0, 1, 2}", 26),
        ("isle_envs/core/helper.py", "2 * value", "10 * value", 110),
        ("isle_envs/core/loop.py", "total = 0", "total = 10", 32),
    ):
        text = (lab.folder / file).read_text(encoding="utf-8")
        assert old in text
        lab.write(file, text.replace(old, new))
        assert lab.play("one") == (value, 0), f"{new} in {file}"
        lab.write(file, text)
    assert (lab.play("one"), lab.play("one")) == ((22, 0), (22, 1))
    assert lab.kept() == kept, "new code lies in the old files"


def test_an_edit_elsewhere_does_not(lab: Lab) -> None:
    assert lab.play("one") == (22, 0)
    for file in ("isle_envs/__init__.py", "one/__init__.py"):
        lab.write(
            file, (lab.folder / file).read_text(encoding="utf-8").replace("# empty", "# no kernel comes from here")
        )
    assert lab.play("one") == (22, 1)


def test_a_constant_read_from_a_data_file_is_compared_by_value(lab: Lab) -> None:
    lab.write("one/parts.py", PARTS.format(bonus="int(open('bonus.txt').read())", gain=0))
    lab.write("bonus.txt", "5")
    assert lab.play("one") == (22, 0)
    assert lab.play("one") == (22, 1)
    lab.write("bonus.txt", "6")
    assert lab.play("one") == (24, 0)


def test_an_edit_after_the_import_is_not_taken_for_what_was_imported(lab: Lab) -> None:
    old = (lab.folder / "one/parts.py").read_text(encoding="utf-8")
    edit = f"import pathlib; pathlib.Path('one/parts.py').write_text({old.replace('i + 0', 'i + 20')!r}); "
    assert lab.run("from one import game; " + edit + SHOW.format(name="game").removeprefix("; "))["value"] == 22
    assert lab.play("one") == (182, 0)


def test_a_script_and_its_closed_over_values(lab: Lab) -> None:
    script = """
import json, sys
import numpy as np
from isle_envs.core.kernel import kernel
from isle_envs.core.loop import make_loop

def make(table, size):
    @kernel
    def play(state, i):
        return table[i] + size
    return make_loop(play)

loop = make(np.array([int(word) for word in sys.argv[1].split(",")]), 1)
print(json.dumps({"value": int(loop(np.zeros(1), 2)), "hits": loop.stats.cache_hits.total()}))
"""
    lab.write("script.py", script)

    def value(table: str) -> tuple[int, int]:
        environment = {**os.environ, "PYTHONPATH": str(lab.folder), "NUMBA_CACHE_DIR": ""}
        command = [sys.executable, "script.py", table]
        shown = json.loads(subprocess.check_output(command, cwd=lab.folder, env=environment, text=True))
        return shown["value"], shown["hits"]

    assert (value("1,2"), value("1,3"), value("1,2"), value("1,3")) == ((10, 0), (12, 0), (10, 1), (12, 1))
    lab.write("script.py", script.replace("+ size", "- size"))
    assert (value("1,2"), value("1,2")) == ((2, 0), (2, 1))


def test_functions_without_a_file_are_compiled_and_not_kept(lab: Lab) -> None:
    cell = """
import numpy as np
from isle_envs.core.kernel import kernel
from isle_envs.core.loop import make_loop

@kernel
def play(state, i):
    return i + 1
loop = make_loop(play)
show(value=int(loop(np.zeros(1), 3)))
"""
    assert lab.run(cell, "-W", "error")["value"] == 12
    assert [path.name.partition("-")[0] for path in lab.kept()] == ["double"]


def test_each_type_of_arguments_is_compiled_once(lab: Lab) -> None:
    code = """
from isle_envs.core.helper import double
values = [double(4), double(1.5), double(5)]
show(values=values, hits=double.stats.cache_hits.total(), misses=double.stats.cache_misses.total())
"""
    assert lab.run(code) == {"values": [8, 3.0, 10], "hits": 0, "misses": 2, "stderr": ""}
    assert lab.run(code) == {"values": [8, 3.0, 10], "hits": 2, "misses": 0, "stderr": ""}


def test_records_that_differ_in_layout_only_are_kept_apart(lab: Lab) -> None:
    code = """
import numpy as np
from isle_envs.core.kernel import kernel
from layouts import first
packed = np.array([(1, 70000)], [("a", np.int8), ("b", np.int32)])
padded = packed.astype(np.dtype([("a", np.int8), ("b", np.int32)], align=True))
show(values=[first(packed), first(padded)], hits=first.stats.cache_hits.total())
"""
    lab.write(
        "layouts.py",
        "from isle_envs.core.kernel import kernel\n@kernel\ndef first(states):\n    return states[0].a + states[0].b\n",
    )
    assert lab.run(code)["hits"] == 0
    assert lab.run(code) == {"values": [70001, 70001], "hits": 2, "stderr": ""}


def test_a_read_only_install_uses_the_users_cache_folder(lab: Lab) -> None:
    for folder in ("one", "isle_envs", "isle_envs/core"):
        lab.write(f"{folder}/__pycache__", "a file where the folder should be: nothing can be written, even by root")
    assert lab.play("one") == (22, 0)
    assert lab.play("one") == (22, 1)
    assert {path.relative_to(lab.folder).parts[0] for path in lab.kept()} == {"home"}


def test_numba_cache_dir_is_respected(lab: Lab) -> None:
    assert lab.play("one", NUMBA_CACHE_DIR="chosen") == (22, 0)
    assert lab.play("one", NUMBA_CACHE_DIR="chosen") == (22, 1)
    assert {path.relative_to(lab.folder).parts[0] for path in lab.kept()} == {"chosen"}
    assert lab.play("one", NUMBA_CACHE_DIR="") == (22, 0)
    assert lab.play("one") == (22, 1)


def test_without_any_writable_folder_there_is_one_warning(lab: Lab) -> None:
    for folder in ("one", "isle_envs", "isle_envs/core"):
        lab.write(f"{folder}/__pycache__", "")
    lab.write("home", "")
    shown = lab.run("from one import game" + SHOW.format(name="game"))
    assert (shown["value"], shown["hits"]) == (22, 0)
    assert shown["stderr"].count("RuntimeWarning: compiled kernels are not kept on disk: no folder is writable") == 1


PLAIN = "import numba; numba.njit = lambda **options: lambda function: function"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(PLAIN, id="no _cache"),
        "import numba.core.caching; del numba.core.caching.CompileResultCacheImpl",
        "import numba.core.caching as c; c.CompileResultCacheImpl.reduce = lambda self: None",
        "import numba.core.compiler as c; del c.CompileResult._reduce",
    ],
)
def test_another_private_interface_of_numba_costs_the_cache_and_one_warning(lab: Lab, change: str) -> None:
    shown = lab.run(change + "; from one import game; show(value=game.value())")
    assert shown["value"] == 22
    assert shown["stderr"].count("RuntimeWarning: compiled kernels are not kept on disk") == 1
    assert not lab.kept()


def test_processes_that_start_at_once(lab: Lab) -> None:
    code = "from one import game" + SHOW.format(name="game")
    started = [lab.start(code) for _ in range(4)]
    assert [lab.result(process)["value"] for process in started] == [22] * 4
    assert lab.play("one") == (22, 1)
    assert not list(lab.folder.rglob("*.tmp"))


def test_damaged_files_are_compiled_anew(lab: Lab) -> None:
    def flip(data: bytes) -> bytes:
        return data[:999] + bytes([data[999] ^ 1]) + data[1000:]

    assert lab.play("one") == (22, 0)
    for damage in (lambda data: b"", lambda data: data[:-9], lambda data: b"x" * len(data), flip):
        for path in lab.kept():
            path.write_bytes(damage(path.read_bytes()))
        shown = lab.run("from one import game" + SHOW.format(name="game"), "-W", "error")
        assert (shown["value"], shown["hits"]) == (22, 0)
    assert lab.play("one") == (22, 1)
    for path in lab.kept():
        path.unlink()
        path.mkdir()
    assert lab.play("one") == (22, 0)


def test_checked_bounds_are_not_served_from_unchecked_code(lab: Lab) -> None:
    lab.write(
        "reach.py",
        "from isle_envs.core.kernel import kernel\n@kernel\ndef reach(a, i):\n    return a[i] * 0\n",
    )
    code = """
import numpy as np
from reach import reach
try:
    show(value=int(reach(np.zeros(3, np.int64), 3)))
except IndexError:
    show(value="checked")
"""
    assert lab.run(code)["value"] == 0
    assert lab.run(code, NUMBA_BOUNDSCHECK="1")["value"] == "checked"


def test_without_compilation_kernels_are_plain_functions_that_wrap_around(lab: Lab) -> None:
    lab.write(
        "wrap.py",
        '''
from isle_envs.core.kernel import kernel

@kernel
def product(a, b):
    """Of two."""
    return a * b
''',
    )
    code = """
import numpy as np
from wrap import product
a = np.uint64(2**64 - 1)
value = int(product(a, np.uint64(3)))
show(value=value, name=product.__name__, doc=product.__doc__, plain=not hasattr(product, "stats"))
"""
    expected = {"value": 2**64 - 3, "name": "product", "doc": "Of two.", "stderr": ""}
    assert lab.run(code, "-W", "error", NUMBA_DISABLE_JIT="1") == {**expected, "plain": True}
    assert lab.run(code, "-W", "error") == {**expected, "plain": False}


def test_recompile_compiles(lab: Lab) -> None:
    assert lab.play("one") == (22, 0)
    code = "from one import game; game.value(); game.loop.recompile(); misses = game.loop.stats.cache_misses.total()"
    assert lab.run(f"{code}; show(value=game.value(), misses=misses)") == {"value": 22, "misses": 1, "stderr": ""}
