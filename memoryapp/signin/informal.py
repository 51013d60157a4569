"""What django-allauth may say in formal German: marked here, so that our catalogues say it as the pages do."""

from django.utils.translation import gettext_noop

MARKED = (
    gettext_noop(
        "Enabling passwordless operation allows you to sign in using just this key, but imposes additional"
        " requirements such as biometrics or PIN protection."
    ),
    gettext_noop("Use a security key"),
    gettext_noop("Use authenticator app or code"),
    gettext_noop("You cannot activate two-factor authentication until you have verified your email address."),
    gettext_noop("You cannot add an email address to an account protected by two-factor authentication."),
    gettext_noop("You cannot deactivate two-factor authentication."),
    gettext_noop("You cannot disconnect your last remaining third-party account."),
    gettext_noop("You cannot generate recovery codes without having two-factor authentication enabled."),
    gettext_noop("A third-party account from %(provider)s has been connected to your account."),
    gettext_noop("A third-party account from %(provider)s has been disconnected from your account."),
    gettext_noop("Email address %(deleted_email)s has been removed from your account."),
    gettext_noop("Your email has been confirmed."),
    gettext_noop("This mail can be safely ignored if you did not initiate this action."),
)
