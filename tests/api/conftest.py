import json

import pytest
from django.test import Client

from accounts.actors import Actor
from accounts.models import User
from memoryapp.services.keys import create_key

BASE = "/api/v1"


class Api:
    """One program with its agent key. Paths are below /api/v1; bodies are JSON unless they are bytes."""

    def __init__(self, secret, client=None):
        self.secret = secret
        self.client = client or Client(raise_request_exception=False)

    def request(self, method, path, body=None, headers=None, content_type="application/json", **query):
        given = {"Authorization": f"Bearer {self.secret}"} if self.secret else {}
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return self.client.generic(
            method,
            path
            if path.startswith("/") and path.startswith((BASE, "/healthz", "/readyz", "/metrics"))
            else BASE + path,
            data,
            content_type=content_type,
            headers=given | (headers or {}),
            query_params=query or None,
        )

    def get(self, path, headers=None, **query):
        return self.request("GET", path, headers=headers, **query)

    def post(self, path, body=None, headers=None, **options):
        return self.request("POST", path, body, headers, **options)

    def patch(self, path, body=None, headers=None):
        return self.request("PATCH", path, body, headers)

    def delete(self, path, **query):
        return self.request("DELETE", path, **query)


@pytest.fixture
def key_of(db):
    """Makes an agent key and gives the program that holds it."""

    def make(name="bot", **options):
        key, secret = create_key(name, actor=Actor("system"), **options)
        api = Api(secret)
        api.key = key
        return api

    return make


@pytest.fixture
def api(key_of):
    """A service key that may do everything."""
    return key_of()


@pytest.fixture
def nobody():
    """A program without a key."""
    return Api(None)


@pytest.fixture
def remembered(api):
    """Proposes a memory of Ada and gives it as the API shows it."""

    def propose(text="Ada prefers metric units.", kind="preference", subject="units", user="ada", **fields):
        body = {"user": user, "kind": kind, "subject": subject, "text": text, "source": text} | fields
        response = api.post("/memories", body)
        assert response.status_code in (200, 201), response.content
        return response.json()["memory"]

    return propose


@pytest.fixture
def personal(key_of, remembered):
    """A personal key of Ada, who is known."""
    remembered()
    return key_of("ada's own", person=User.objects.get(external_id="ada"))
