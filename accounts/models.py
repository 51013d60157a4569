"""Who: the person that memories are about, that person's scopes, and the credentials of programs."""

import secrets
from datetime import datetime
from typing import ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from accounts.ids import uuid7

DEFAULT_NAMESPACE = "default"


def _new_digest_key() -> bytes:
    return secrets.token_bytes(32)


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str | None = None, password: str | None = None, **fields: object) -> "User":
        user = self.model(email=self.normalize_email(email) if email else None, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: object) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """The Person. Agents name one by `external_id` within their key's namespace; it need never sign in.

    `brought_keys` are keys of do-not-learn entries that came with an import, beside the person's own `digest_key`.
    `language` and `time_zone` are empty until chosen. `last_visit_at` is when the visit before this one ended,
    `seen_at` when they last opened a page.
    """

    class Theme(models.TextChoices):
        SYSTEM = "system"
        LIGHT = "light"
        DARK = "dark"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    namespace = models.CharField(max_length=128, default=DEFAULT_NAMESPACE)
    external_id = models.CharField(max_length=256, null=True, blank=True)
    email = models.EmailField(unique=True, null=True, blank=True)
    learning = models.BooleanField(default=True, help_text="Proposals are accepted.")
    use = models.BooleanField(default=True, help_text="Memories are sent to agents.")
    digest_key = models.BinaryField(default=_new_digest_key, editable=False)
    brought_keys = ArrayField(models.BinaryField(), default=list, db_default=[], editable=False)
    language = models.CharField(max_length=16, default="", db_default="", blank=True)
    time_zone = models.CharField(max_length=64, default="", db_default="", blank=True)
    theme = models.CharField(max_length=8, choices=Theme, default=Theme.SYSTEM, db_default=Theme.SYSTEM)
    last_visit_at = models.DateTimeField(null=True, editable=False)
    seen_at = models.DateTimeField(null=True, editable=False)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    USERNAME_FIELD = "email"
    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        constraints = [
            models.UniqueConstraint("namespace", "external_id", name="user_external_id_once_per_namespace"),
            models.CheckConstraint(
                condition=models.Q(external_id__isnull=True) | ~models.Q(external_id=""), name="user_external_id_given"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class Scope(models.Model):
    """A boundary inside one person's memory. Memories of one scope are never returned in another."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    person = models.ForeignKey(User, models.PROTECT, related_name="scopes")
    name = models.CharField(max_length=128)
    learning = models.BooleanField(default=True)
    use = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint("person", "name", name="scope_name_once_per_person"),
            models.UniqueConstraint("person", "id", name="scope_with_person"),
            models.CheckConstraint(
                condition=models.Q(name__regex=r"^[a-z0-9][a-z0-9_-]{0,127}$"), name="scope_name_in_grammar"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class AgentKey(models.Model):
    """A credential of a program: a service key acts for any person of its namespace, a personal key for one.

    Only the prefix and a digest of the secret are stored; `scopes` None means all scopes.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=128)
    prefix = models.CharField(max_length=16, unique=True)
    digest = models.BinaryField(max_length=32)
    person = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="agent_keys")
    namespace = models.CharField(max_length=128, default=DEFAULT_NAMESPACE)
    can_write = models.BooleanField(default=True)
    scopes = ArrayField(models.CharField(max_length=128), null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix})"

    def is_valid_at(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class RateWindow(models.Model):
    """Calls of one key in the current minute, counted over all workers. An unlogged table: a crash may reset it."""

    agent_key = models.OneToOneField(AgentKey, models.CASCADE, primary_key=True, related_name="+")
    minute = models.BigIntegerField(help_text="Minutes since 1970.")
    calls = models.IntegerField()


class SignInLink(models.Model):
    """A one-time way onto a person's page. Only a digest of its token is stored."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    person = models.ForeignKey(User, models.PROTECT, related_name="+")
    digest = models.BinaryField(max_length=32, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
