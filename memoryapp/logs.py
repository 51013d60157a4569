"""Log lines without personal content."""

import logging
import time
import traceback
from types import TracebackType

_ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class DiscreetFormatter(logging.Formatter):
    """Time (UTC), level, logger, message. Of an exception its types and places, since messages quote values; of a
    request its method and the route's pattern, since paths hold ids."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")
        self.converter = time.gmtime

    def format(self, record: logging.LogRecord) -> str:
        request = getattr(record, "request", None)
        if request is not None and record.name == "django.request":
            match = getattr(request, "resolver_match", None)
            route = match.route if match else "unknown route"
            record = logging.makeLogRecord(
                record.__dict__
                | {"msg": "%s %s /%s", "args": (getattr(record, "status_code", "-"), request.method, route)}
            )
        return super().format(record)

    def formatException(self, ei: _ExceptionInfo) -> str:  # noqa: N802
        lines = []
        error = ei[1]
        while error is not None:
            frames = traceback.extract_tb(error.__traceback__)
            lines.append(f"{type(error).__module__}.{type(error).__qualname__}")
            lines += [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\n".join(lines)
