"""An embedder behind HTTP: any service with OpenAI's `POST /embeddings`."""

import json
import math
import random
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

from memoryapp.embedding.embedder import Unavailable, Vector

ATTEMPTS = 4
_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS = 20.0
_MOST_BYTES = 64 * 1024 * 1024


class Remote:
    """`url` is the base, such as `https://api.openai.com/v1`. Credentials and texts go there and nowhere else.

    A call takes at most `timeout_seconds` an attempt. After 429 and 5xx, or no answer, it is tried again up to four
    times, with waits that double and are drawn at random (full jitter), or as long as Retry-After says; `is_patient`
    off, as for a request that somebody waits for, there is one attempt.
    """

    def __init__(
        self, *, url: str, model: str, key: str = "", timeout_seconds: float = 2.0, dimension: int = 0
    ) -> None:
        self._url = url.rstrip("/") + "/embeddings"
        self._wire_model, self._key, self._timeout, self._dimension = model, key, timeout_seconds, dimension
        self.model = f"{model}/{dimension}" if dimension else model

    def embed(self, texts: Sequence[str], *, is_patient: bool = False) -> list[Vector | None]:
        body: dict[str, Any] = {"model": self._wire_model, "input": list(texts), "encoding_format": "float"}
        if self._dimension:
            body["dimensions"] = self._dimension
        answer = self._ask(json.dumps(body).encode(), ATTEMPTS if is_patient else 1)
        try:
            rows = sorted(answer["data"], key=lambda row: row["index"])
            vectors = [_unit(row["embedding"]) for row in rows]
        except (KeyError, TypeError, ValueError) as error:
            raise Unavailable("The embedding service answered in another form.") from error
        if len(vectors) != len(texts):
            raise Unavailable("The embedding service left texts out.")
        return list(vectors)

    def _ask(self, body: bytes, attempts: int) -> Any:
        headers = {"Content-Type": "application/json", "User-Agent": "memory"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, body, headers)  # noqa: S310 - the operator's own address
        for attempt in range(attempts):
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as response:  # noqa: S310
                    return json.loads(response.read(_MOST_BYTES))
            except urllib.error.HTTPError as error:
                if error.code != 429 and error.code < 500:
                    raise Unavailable(f"The embedding service answered {error.code}.") from None
                reason, asked_for = f"The embedding service answered {error.code}.", error.headers.get("Retry-After")
            except (OSError, ValueError):
                reason, asked_for = "The embedding service did not answer.", None
            if attempt + 1 < attempts:
                time.sleep(_wait(attempt, asked_for))
        raise Unavailable(reason)


def _wait(attempt: int, asked_for: str | None) -> float:
    if asked_for and asked_for.isdigit():
        return min(float(asked_for), _LONGEST_WAIT_SECONDS)
    return random.uniform(0, min(_FIRST_WAIT_SECONDS * 2**attempt, _LONGEST_WAIT_SECONDS))  # noqa: S311 - no secret


def _unit(values: Sequence[float]) -> Vector:
    length = math.sqrt(sum(value * value for value in values))
    if not math.isfinite(length) or not length:
        raise ValueError("no direction")
    return tuple(value / length for value in values)
