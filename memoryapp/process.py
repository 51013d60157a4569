"""Child processes that never outlive us, and the remains of those that did."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

END_WITH_PARENT = "MEMORY_END_WITH_PARENT"
"""Set in the environment of a process that has to end when the one that started it ends."""


def end_with_parent(number: signal.Signals) -> None:
    """The kernel sends us this signal when the thread that started us is gone. Does nothing outside Linux."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)


@contextmanager
def holding_signals() -> Iterator[None]:
    """Within the block nothing interrupts us, so that a child that was started there is known when a signal comes."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


def ending_with_us(number: signal.Signals) -> Callable[[], None]:
    """A `preexec_fn` for Popen. To be used from the main thread, while no other runs."""
    parent = os.getpid()

    def before_exec() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        end_with_parent(number)
        if os.getppid() != parent:  # we died between the fork and the request
            os._exit(1)

    return before_exec


def command_of(pid: int) -> str | None:
    """The command line of a running process; None when there is none that we may see."""
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace") or None
        except OSError:
            return None
    listed = subprocess.run(["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return listed.stdout.strip() or None


def end_leftover(pid: int, marker: str, signals: Sequence[tuple[signal.Signals, float]]) -> None:
    """Ends a process of an earlier run, when `pid` still is one: its command line holds `marker`.

    Sends each signal in turn and waits as many seconds for the process to go.
    """
    for number, seconds in signals:
        until = time.monotonic() + seconds
        if not _runs(pid, marker):
            return
        os.kill(pid, number)
        while _runs(pid, marker) and time.monotonic() < until:
            time.sleep(0.05)


def end_child(child: subprocess.Popen[bytes], signals: Sequence[tuple[signal.Signals, float]]) -> None:
    """Sends each signal in turn, waits as many seconds for the child to go, and reaps it."""
    for number, seconds in signals:
        if child.poll() is None:
            child.send_signal(number)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            continue
        return


def _runs(pid: int, marker: str) -> bool:
    command = command_of(pid)
    return command is not None and marker in command
