"""Acervo's search as a retriever of LangChain: `pip install langchain-core ./clients/python`
(this repository's folder; the client is on no index)."""

from acervo_client import Acervo
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict


class AcervoRetriever(BaseRetriever):
    """`AcervoRetriever(acervo=Acervo(url, key), agent="tutor").invoke("¿Qué es un bucle?")`"""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    acervo: Acervo
    agent: str
    top_k: int = 8

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self.acervo.retrieve(self.agent, query, top_k=self.top_k)
        return [
            Document(id=one["chunk"], page_content=one["text"], metadata={"title": one["title"], "page": one["page"]})
            for one in found["chunks"]
        ]
