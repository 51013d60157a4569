from typing import Any, cast

from allauth.account.stages import EmailVerificationStage

from accounts.models import User


class ConfirmedEmail(EmailVerificationStage):
    """An address has to be confirmed before anybody comes in by it. Who has none has nothing to confirm."""

    def handle(self) -> tuple[Any, bool]:
        if self.login.user is not None and not cast(User, self.login.user).email:
            return None, True
        answer: tuple[Any, bool] = super().handle()  # type: ignore[no-untyped-call]
        return answer
