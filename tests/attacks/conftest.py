"""Fixtures of other rooms that the attacks take."""

from tests.provisions import chat_model as chat_model
from tests.provisions import library as library
from tests.provisions import server as server
