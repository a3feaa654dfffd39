"""The frame of the house: settings, environment, ASGI application, Celery application, URLs."""
