"""Pages of corpora and documents; included at the root."""

from django.urls import path

from corpora import document_views, fact_views, reader_views, views

urlpatterns = [
    path("corpora/", views.corpora, name="corpora"),
    path("corpora/new/", views.corpus_create, name="corpus-create"),
    path("corpora/<uuid:pk>/", views.corpus, name="corpus"),
    path("corpora/<uuid:pk>/edit/", views.corpus_edit, name="corpus-edit"),
    path("corpora/<uuid:pk>/activate/", views.corpus_activate, name="corpus-activate"),
    path("corpora/<uuid:pk>/delete/", views.corpus_delete, name="corpus-delete"),
    path("corpora/<uuid:pk>/documents/", document_views.documents, name="documents"),
    path("corpora/<uuid:pk>/facts/", fact_views.fact_keep, name="fact-keep"),
    path("corpora/<uuid:pk>/progress/", document_views.progress, name="documents-progress"),
    path("documents/<uuid:pk>/", reader_views.document, name="document"),
    path("documents/<uuid:pk>/describe/", reader_views.document_describe, name="document-describe"),
    path("documents/<uuid:pk>/retry/", document_views.document_retry, name="document-retry"),
    path("documents/<uuid:pk>/delete/", document_views.document_delete, name="document-delete"),
]
