"""An application in Django that signs its people in by mozilla-django-oidc, set up as its documentation says."""

import json
import os
import sys
from urllib.parse import urlsplit
from urllib.request import urlopen

import django
from django.conf import settings

site = json.loads(os.environ["SITE"])
with urlopen(site["issuer"] + "/.well-known/openid-configuration") as answer:
    provider = json.load(answer)

settings.configure(
    DEBUG=True,
    SECRET_KEY="a secret of the application, long enough for it",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "site.sqlite3"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "mozilla_django_oidc",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
    OIDC_RP_CLIENT_ID=site["clientId"],
    OIDC_RP_CLIENT_SECRET=site["clientSecret"],
    OIDC_OP_AUTHORIZATION_ENDPOINT=provider["authorization_endpoint"],
    OIDC_OP_TOKEN_ENDPOINT=provider["token_endpoint"],
    OIDC_OP_USER_ENDPOINT=provider["userinfo_endpoint"],
    OIDC_OP_JWKS_ENDPOINT=provider["jwks_uri"],
    LOGIN_REDIRECT_URL="/me",
    LOGIN_REDIRECT_URL_FAILURE="/failed",
    LOGOUT_REDIRECT_URL="/me",
    **site["settings"],
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402


def me(request):
    person = request.user
    return JsonResponse({"email": person.email} if person.is_authenticated else None, safe=False)


@csrf_exempt
def failed(request):
    return HttpResponse("The sign-in failed.", status=401)


urlpatterns = [path("me", me), path("failed", failed), path("oidc/", include("mozilla_django_oidc.urls"))]

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    call_command("runserver", f"127.0.0.1:{urlsplit(site['origin']).port}", "--noreload", stdout=sys.stderr)
