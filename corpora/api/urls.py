"""Paths of the corpora API, below /api/."""

from django.urls import path

from corpora.api import document_pages, moving, trash, views

urlpatterns = [
    path("corpora/", views.CorpusList.as_view()),
    path("corpora/<uuid:pk>/", views.CorpusDetail.as_view()),
    path("corpora/<uuid:pk>/documents/", views.CorpusDocuments.as_view(), name="api-corpus-documents"),
    path("corpora/<uuid:pk>/documents/move/", moving.DocumentsMove.as_view(), name="api-documents-move"),
    path("corpora/<uuid:pk>/facts/", views.CorpusFacts.as_view()),
    path("documents/<uuid:pk>/", views.DocumentDetail.as_view()),
    path("documents/<uuid:pk>/reprocess/", views.DocumentReprocess.as_view(), name="api-document-reprocess"),
    path("documents/<uuid:pk>/content/", views.DocumentContent.as_view(), name="api-document-content"),
    path("documents/<uuid:pk>/chunks/", views.DocumentChunks.as_view()),
    path("documents/<uuid:pk>/pages/<int:number>/", document_pages.DocumentPage.as_view(), name="api-document-page"),
    path(
        "documents/<uuid:pk>/pages/<int:number>/image/",
        document_pages.DocumentPageImage.as_view(),
        name="api-document-page-image",
    ),
    path(
        "documents/<uuid:pk>/pictures/<int:number>/",
        document_pages.DocumentPicture.as_view(),
        name="api-document-picture",
    ),
    path("trash/", trash.Trash.as_view(), name="api-trash"),
    path("trash/<uuid:pk>/", trash.TrashDetail.as_view(), name="api-trash-entry"),
    path("trash/<uuid:pk>/restore/", trash.TrashRestore.as_view(), name="api-trash-restore"),
]
