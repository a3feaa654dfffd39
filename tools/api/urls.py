"""Paths of the data sources' API, below /api/."""

from django.urls import path

from tools.api import metrics, sources

urlpatterns = [
    path("data-sources/", sources.SourceList.as_view()),
    path("data-sources/<uuid:source_id>/", sources.SourceDetail.as_view()),
    path("data-sources/<uuid:source_id>/check/", sources.SourceCheck.as_view()),
    path("data-sources/<uuid:source_id>/schema/", sources.SourceSchema.as_view()),
    path("data-sources/<uuid:source_id>/files/", sources.SourceFiles.as_view()),
    path("data-sources/<uuid:source_id>/files/<uuid:file_id>/", sources.SourceFileDetail.as_view()),
    path("data-sources/<uuid:source_id>/tables/", sources.SourceTables.as_view()),
    path("data-sources/<uuid:source_id>/metrics/", metrics.SourceMetrics.as_view()),
]
