from django.urls import URLPattern, URLResolver, include, path, re_path

from memoryapp.api.handlers import Nowhere
from memoryapp.api.health import Healthz, Metrics, Readyz

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", Healthz.as_view()),
    path("readyz", Readyz.as_view()),
    path("metrics", Metrics.as_view()),
    path("api/v1/", include("memoryapp.api.urls")),
    re_path("^api(/|$)", Nowhere.as_view()),
]

handler400 = "memoryapp.api.handlers.bad_request"
handler403 = "memoryapp.api.handlers.forbidden"
handler404 = "memoryapp.api.handlers.not_found"
handler500 = "memoryapp.api.handlers.server_error"
