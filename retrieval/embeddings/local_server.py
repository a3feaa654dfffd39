"""Local models in a process of their own: `fastembed` behind the protocols that any model server speaks here.

    python -m retrieval.embeddings.local_server --port 8901 --model BAAI/bge-small-en-v1.5 [--reranker NAME]

`serve` starts it where LOCAL_MODELS says so. The web process never imports it: half a gigabyte of a model and its
runtime stay out of there, and if they die, retrieval goes on by words. It listens on this machine alone.

    POST /v1/embeddings   {model, input}            → {data: [{index, embedding: base64 of float32}]}
    POST /rerank          {query, documents|texts}  → {results: [{index, relevance_score}]}
    GET  /healthz         200 once the models are loaded
"""

import argparse
import base64
import json
import os
import sys
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol

MOST_BYTES = 64 * 1024 * 1024
PARENT_LOOKED_AT = 2.0  # seconds: whoever started this may be killed


class NotServed(Exception):
    """Another address, or a model that was not asked for."""


class LocalModels(Protocol):
    """What is served."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Each text's vector as float32, little endian."""
        ...

    def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        """A score for each passage, or logits."""
        ...


class Fastembed:
    """Models by Qdrant's `fastembed` (requirements-local.txt): from its list, or a folder with an ONNX model."""

    def __init__(self, model: str, reranker: str, dimensions: int) -> None:
        from fastembed import TextEmbedding

        self._one_at_a_time = threading.Lock()  # each call takes all cores anyway
        self._embedding = TextEmbedding(
            **own_model(model, dimensions) if Path(model).is_dir() else {"model_name": model}
        )
        self._reranker: Any = None
        if reranker:
            from fastembed.rerank.cross_encoder import TextCrossEncoder

            self._reranker = TextCrossEncoder(model_name=reranker)

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        with self._one_at_a_time:
            return [vector.astype("<f4").tobytes() for vector in self._embedding.embed(list(texts))]

    def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        if self._reranker is None:
            raise NotServed
        with self._one_at_a_time:
            return [float(score) for score in self._reranker.rerank(question, list(passages))]


def own_model(folder: str, dimensions: int) -> dict[str, Any]:
    """How fastembed is told of a folder with `model.onnx` and its tokenizer: the mean of its tokens, normalised."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    name = f"local/{Path(folder).name}"
    TextEmbedding.add_custom_model(
        model=name,
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf=name),
        dim=dimensions,
        model_file="model.onnx",
    )
    return {"model_name": name, "specific_model_path": folder}


def handler_of(models: LocalModels) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(200 if self.path == "/healthz" else 404, {})

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            if not 0 < length <= MOST_BYTES:
                self.close_connection = True
                self._answer(413, {"error": "too long"})
                return
            self._answer(*outcome_of_asking(self.path, self.rfile.read(length), models))

        def _answer(self, status: int, said: dict[str, Any]) -> None:
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: addresses and texts are nobody's."""

    return Handler


def outcome_of_asking(path: str, body: bytes, models: LocalModels) -> tuple[int, dict[str, Any]]:
    """Status and answer; an error is told by its kind, for its message may quote a text."""
    try:
        return 200, answer_to(path, json.loads(body), models)
    except NotServed:
        return 404, {"error": "not served here"}
    except (ValueError, TypeError, KeyError):
        return 400, {"error": "not understood"}
    except Exception as error:
        return 500, {"error": type(error).__name__}


def answer_to(path: str, asked: Any, models: LocalModels) -> dict[str, Any]:
    """Raises NotServed; ValueError, TypeError or KeyError for what is not understood."""
    if path == "/v1/embeddings":
        texts = [asked["input"]] if isinstance(asked["input"], str) else inputs_of(asked["input"])
        vectors = [base64.b64encode(vector).decode() for vector in models.embed(texts)]
        return {"object": "list", "data": [{"index": n, "embedding": vector} for n, vector in enumerate(vectors)]}
    if path == "/rerank":
        passages = inputs_of(asked["documents"] if "documents" in asked else asked["texts"])
        scores = models.rerank(str(asked["query"]), passages)
        return {"results": [{"index": n, "relevance_score": score} for n, score in enumerate(scores)]}
    raise NotServed


def inputs_of(said: Any) -> list[str]:
    if not isinstance(said, list) or not all(isinstance(one, str) for one in said):
        raise ValueError("a list of texts")
    return said


def end_with_parent() -> None:
    """A server that is killed cannot stop its models."""
    parent = os.getppid()

    def look() -> None:
        waiting = threading.Event()
        while os.getppid() == parent:
            waiting.wait(PARENT_LOOKED_AT)
        os._exit(0)

    threading.Thread(target=look, daemon=True).start()


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description="Serve local models on this machine.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--model", required=True, help="a name of fastembed's list, or a folder with model.onnx")
    parser.add_argument("--reranker", default="")
    parser.add_argument("--dimensions", type=int, default=384, help="of a model in a folder")
    asked = parser.parse_args(arguments)
    end_with_parent()
    models = Fastembed(asked.model, asked.reranker, asked.dimensions)
    ThreadingHTTPServer(("127.0.0.1", asked.port), handler_of(models)).serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
