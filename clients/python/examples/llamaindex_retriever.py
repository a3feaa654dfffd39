"""Acervo's search as a retriever of LlamaIndex: `pip install llama-index-core ./clients/python`
(this repository's folder; the client is on no index)."""

from acervo_client import Acervo
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode


class AcervoRetriever(BaseRetriever):
    """`AcervoRetriever(Acervo(url, key), "tutor").retrieve("¿Qué es un bucle?")`"""

    def __init__(self, acervo: Acervo, agent: str, top_k: int = 8) -> None:
        super().__init__()
        self._acervo, self._agent, self._top_k = acervo, agent, top_k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._acervo.retrieve(self._agent, query_bundle.query_str, top_k=self._top_k)
        return [
            NodeWithScore(
                node=TextNode(
                    id_=one["chunk"], text=one["text"], metadata={"title": one["title"], "page": one["page"]}
                ),
                score=one["relevance"],
            )
            for one in found["chunks"]
        ]
