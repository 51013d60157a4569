from django.urls import path

from memoryapp.support import asking_again, audit, bundles, decisions, granting, lookup, proposing, reports, revealing
from memoryapp.support import trace as tracing

app_name = "support"

urlpatterns = [
    path("support/", lookup.lookup, name="lookup"),
    path("support/traces/<uuid:trace_id>/", tracing.trace, name="trace"),
    path("support/traces/<uuid:trace_id>/grant/", granting.ask, name="ask"),
    path("support/traces/<uuid:trace_id>/again/", asking_again.again, name="again"),
    path("support/traces/<uuid:trace_id>/bundle.json", bundles.bundle, name="bundle"),
    path("support/traces/<uuid:trace_id>/print/", bundles.to_print, name="print"),
    path("support/traces/<uuid:trace_id>/memories/<uuid:memory_id>/propose/", proposing.propose, name="propose"),
    path("support/grants/<uuid:grant_id>/show/", revealing.show, name="show"),
    path("support/grants/<uuid:grant_id>/end/", lookup.end, name="end"),
    path("support/grants/<uuid:grant_id>/second/", granting.second, name="second"),
    path("support/grants/<uuid:grant_id>/decisions/", decisions.decisions, name="decisions"),
    path("support/grants/<uuid:grant_id>/decisions/<uuid:decision_id>/", decisions.turns, name="turns"),
    path("support/grants/<uuid:grant_id>/proposals/<uuid:proposal_id>/withdraw/", proposing.withdraw, name="withdraw"),
    path("support/audit/", audit.audit, name="audit"),
    path("support/audit/accesses.csv", audit.as_csv, name="audit_csv"),
    path("support/audit/accesses.json", audit.as_json, name="audit_json"),
    path("support/reports/", reports.reports, name="reports"),
    path("support/reports/<str:reference>/<str:to>/", reports.settle, name="settle"),
]
