from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView

from memoryapp.api.handlers import Nowhere
from memoryapp.api.health import Healthz, Metrics, Readyz

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", Healthz.as_view()),
    path("readyz", Readyz.as_view()),
    path("metrics", Metrics.as_view()),
    path("api/v1/", include("memoryapp.api.urls")),
    re_path("^api(/|$)", Nowhere.as_view()),
    path("", include("memoryapp.signin.urls")),
    path("", RedirectView.as_view(pattern_name="dashboard:memories")),
    path("", include("memoryapp.dashboard.urls")),
    path("", include("memoryapp.support.urls")),
]

handler400 = "memoryapp.handlers.bad_request"
handler403 = "memoryapp.handlers.forbidden"
handler404 = "memoryapp.handlers.not_found"
handler429 = "memoryapp.signin.views.too_many"
handler500 = "memoryapp.handlers.server_error"
