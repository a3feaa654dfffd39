"""The sign-in and the way to an organization's provider; below accounts/."""

from django.urls import path
from django.views.decorators.http import require_http_methods

from accounts.pages.sign_in.urls import form
from sign_on.pages.leading import lead, sign_in
from sign_on.pages.posting import consume, entity
from sign_on.pages.signing import begin, callback

urlpatterns = [
    form("login/", sign_in, "account_login"),
    form("organization/", lead, "sign-on"),
    path("organization/<uuid:pk>/", require_http_methods(["GET", "HEAD"])(begin), name="sign-on-begin"),
    path("organization/<uuid:pk>/callback/", require_http_methods(["GET", "HEAD"])(callback), name="sign-on-callback"),
    path("organization/<uuid:pk>/metadata/", require_http_methods(["GET", "HEAD"])(entity), name="sign-on-metadata"),
    path("organization/<uuid:pk>/consumer/", require_http_methods(["POST"])(consume), name="sign-on-consumer"),
]
