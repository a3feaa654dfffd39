# One image for every role: web, worker, beat and the one-shot migration differ only in their command.

FROM python:3.11-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH
COPY requirements.txt .
RUN pip install -r requirements.txt

FROM python:3.11-slim
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    DATA_DIR=/data \
    LOG_FORMAT=json \
    CELERY_QUIET=true \
    PORT=8000 \
    SERVE_STATIC_FROM_APPS=false
RUN groupadd --system --gid 10001 acervo \
    && useradd --system --uid 10001 --gid acervo --home-dir /data --shell /usr/sbin/nologin acervo \
    && install --directory --owner acervo --group acervo --mode 0750 /data
COPY --from=build /opt/venv /opt/venv
WORKDIR /app
COPY . .
# The key exists for this one command: collectstatic imports the settings, and nothing signed with it is kept.
RUN SECRET_KEY=only-to-collect-static-files DATA_DIR=/tmp/build python manage.py collectstatic --noinput \
    && python -m compileall -q /app \
    && rm -rf /tmp/build
USER acervo
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f\"http://127.0.0.1:{os.environ['PORT']}/healthz\", timeout=4)"]
CMD ["python", "manage.py", "serve", "--host", "0.0.0.0"]
