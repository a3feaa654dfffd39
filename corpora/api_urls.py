"""Paths of the corpora API, below /api/."""

from django.urls import path

from corpora import api

urlpatterns = [
    path("corpora/", api.CorpusList.as_view()),
    path("corpora/<uuid:pk>/", api.CorpusDetail.as_view()),
    path("corpora/<uuid:pk>/documents/", api.CorpusDocuments.as_view(), name="api-corpus-documents"),
    path("corpora/<uuid:pk>/facts/", api.CorpusFacts.as_view()),
    path("documents/<uuid:pk>/", api.DocumentDetail.as_view()),
    path("documents/<uuid:pk>/reprocess/", api.DocumentReprocess.as_view(), name="api-document-reprocess"),
    path("documents/<uuid:pk>/content/", api.DocumentContent.as_view(), name="api-document-content"),
    path("documents/<uuid:pk>/chunks/", api.DocumentChunks.as_view()),
]
