"""A live server and a model behind it (`tests.provisions`)."""

from tests.provisions import chat_model, server

__all__ = ["chat_model", "server"]
