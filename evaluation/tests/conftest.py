"""A library to work on, and a model server for its embeddings when a test wants one."""

from tests.provisions import all_models, chat_model, library

__all__ = ["all_models", "chat_model", "library"]
