"""A library to ask about, a live server to ask, and a model server behind it when a test wants one."""

from tests.provisions import all_models, chat_model, library, server

__all__ = ["all_models", "chat_model", "library", "server"]
