"""Emitted programs under ``ttnn.generic_op``: one process of the vendor's runtime per device takes many of them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from threading import Timer

from vendor_checks import absent, settings

from cpplan.emit_ttmetal.files import program_files
from cpplan.emit_ttmetal.program import Program
from cpplan.errors import ScheduleError
from cpplan.schedule.schedule import Schedule

SERVER = Path(__file__).parent / "vendor" / "descriptors.py"
LIMIT = 300
"""Seconds for one program."""
ACCEPTED, UNTRIED = "accepted", "not tried"


class Runtime:
    """The vendor's runtime on ``device`` without hardware; ``home`` is the folder given to vendor_setup.sh.

    The process starts with the first program and anew after each one that it does not accept.
    """

    def __init__(self, home: Path, device: str) -> None:
        if missing := absent(home, {3}):
            sys.exit("error: the set-up is incomplete: " + "; ".join(missing))
        self.home, self.device = home, device
        self._folder = tempfile.TemporaryDirectory(prefix="cpplan-descriptors-")
        self._process: subprocess.Popen[str] | None = None
        self._handed_over = 0

    def verdict(self, schedule: Schedule, program: Program) -> str:
        """``accepted``, or why not."""
        self._handed_over += 1
        folder = Path(self._folder.name) / f"program-{self._handed_over}"  # the JIT knows kernels by their paths
        try:
            files = program_files(schedule, program)
        except ScheduleError as error:
            return f"no host script: {error}"
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        answer = self._answer(folder)
        shutil.rmtree(folder)
        if answer != ACCEPTED:
            self._end()
        for place, word in ((folder, "."), (self._folder.name, "."), (self.home, "HOME")):
            answer = answer.replace(f"{place}/", "" if word == "." else f"{word}/").replace(str(place), word)
        return answer

    def close(self) -> None:
        """End the process and remove its files."""
        self._end()
        self._folder.cleanup()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _answer(self, folder: Path) -> str:
        process = self._process = self._process or self._started()
        assert process.stdin is not None and process.stdout is not None
        watch = Timer(LIMIT, process.kill)
        watch.start()
        try:
            process.stdin.write(f"{folder}\n")
            process.stdin.flush()
            line = next((text for text in process.stdout if text.startswith("{")), None)
        except BrokenPipeError:
            line = None
        watch.cancel()
        if line is None:
            return f"the runtime ended (exit code {process.wait()}; limit {LIMIT} seconds)"
        answer = json.loads(line)
        return ACCEPTED if answer["accepted"] else str(answer["error"])

    def _started(self) -> subprocess.Popen[str]:
        scratch = Path(self._folder.name)
        return subprocess.Popen(
            [str(self.home / "env" / "bin" / "python"), str(SERVER)],
            env=settings(self.home, scratch, self.device),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
