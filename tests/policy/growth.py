"""How much longer something takes for a longer text, whatever else the machine does."""

import time
from collections.abc import Callable


def takes_linear_time(act: Callable[[str], object], unit: str, length: int) -> bool:
    """For five times the text five times as long, or so: by the square it would be twenty-five times.

    The least of five, of the thread's own time.
    """

    def least(length: int) -> float:
        text = (unit * length)[:length]
        durations = []
        for _ in range(5):
            started = time.thread_time()
            act(text)
            durations.append(time.thread_time() - started)
        return min(durations)

    return least(5 * length) < 15 * least(length)
