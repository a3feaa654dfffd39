"""Pages of corpora and documents; included at the root."""

from django.urls import path

from corpora.pages import corpora, documents, facts, selection, sending, trash
from corpora.reader import pages

urlpatterns = [
    path("corpora/", corpora.corpora, name="corpora"),
    path("corpora/new/", corpora.corpus_create, name="corpus-create"),
    path("corpora/<uuid:pk>/", corpora.corpus, name="corpus"),
    path("corpora/<uuid:pk>/edit/", corpora.corpus_edit, name="corpus-edit"),
    path("corpora/<uuid:pk>/activate/", corpora.corpus_activate, name="corpus-activate"),
    path("corpora/<uuid:pk>/delete/", corpora.corpus_delete, name="corpus-delete"),
    path("corpora/<uuid:pk>/documents/", documents.documents, name="documents"),
    path("corpora/<uuid:pk>/documents/upload/", sending.documents_upload, name="documents-upload"),
    path("corpora/<uuid:pk>/documents/selected/", selection.documents_selected, name="documents-selected"),
    path("corpora/<uuid:pk>/documents/restore/", selection.documents_restore, name="documents-restore"),
    path("corpora/<uuid:pk>/documents/back/", selection.documents_back, name="documents-back"),
    path("corpora/<uuid:pk>/facts/", facts.fact_keep, name="fact-keep"),
    path("corpora/<uuid:pk>/progress/", documents.progress, name="documents-progress"),
    path("documents/<uuid:pk>/", pages.document, name="document"),
    path("documents/<uuid:pk>/describe/", pages.document_describe, name="document-describe"),
    path("documents/<uuid:pk>/title/", documents.document_title, name="document-title"),
    path("documents/<uuid:pk>/retry/", documents.document_retry, name="document-retry"),
    path("documents/<uuid:pk>/delete/", documents.document_delete, name="document-delete"),
    path("documents/<uuid:pk>/pages/<int:number>/", pages.printed_page, name="printed-page"),
    path("trash/", trash.trash_page, name="trash"),
    path("trash/empty/", trash.trash_empty, name="trash-empty"),
    path("trash/<uuid:pk>/restore/", trash.trash_restore, name="trash-restore"),
    path("trash/<uuid:pk>/erase/", trash.trash_erase, name="trash-erase"),
]
