"""A library to ask about, a live server to ask, and a model server behind it when a test wants one."""

from tests.provisions import adaptive_library, all_models, chat_model, library, server

__all__ = ["adaptive_library", "all_models", "chat_model", "library", "server"]
