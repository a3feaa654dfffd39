"""Settings of Acervo. Each one that an installation may change is documented in docs/settings.md.

Without any environment variable this is the embedded default: one process, SQLite, Qdrant Edge, files in DATA_DIR.
"""

import django_stubs_ext

from config.env import (
    BASE_DIR,
    LOCAL_DIMENSIONS,
    LOCAL_MODEL,
    MOST_DIMENSIONS,
    MOST_PORT,
    address,
    broker,
    cache,
    database,
    database_owner,
    env,
    json_object,
    language,
    log_level,
    mail,
    one_of,
    prices,
    secret_key,
    storages,
    switch,
    time_zone,
)
from config.env import DATA_DIR as DATA_DIR
from config.faults import logging_of
from config.sign_in import *  # noqa: F403 - constants alone; here so that this file stays one page of what may change

django_stubs_ext.monkeypatch()  # lets Django's forms and admin classes take their type parameter at run time

DEBUG = switch("DEBUG", default=False)
SECRET_KEY = secret_key()
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
HTTPS = switch("HTTPS", default=False)

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",  # its default one would put its own site in the place of ours
    "accounts.apps.AcervoAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "servestatic.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "oauth2_provider",
    "accounts",
    "provisioning",
    "corpora",
    "retrieval",
    "tools",
    "webhooks",
    "sign_on",
    "foreign",
    "agents",
    "chat",
    "evaluation",
    "workers",
]

MIDDLEWARE = [
    "accounts.http.middleware.ScopedRequests",
    "accounts.http.middleware.ResponseHeaders",
    "accounts.http.middleware.AddressesThatCanBe",
    "accounts.pages.errors.WrongMethodsInWords",
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "accounts.http.principal.SignedIn",
    "accounts.identity.sessions.SessionNotes",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.http.context.membership_context",
            ]
        },
    }
]

DATABASES = {"default": database()}
DATABASE_OWNER = database_owner()
DATABASE_PATIENCE = env.float("DATABASE_PATIENCE", default=2.5, least=0)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {"default": cache()}
STORAGES = storages(
    "django.contrib.staticfiles.storage.StaticFilesStorage"
    if switch("SERVE_STATIC_FROM_APPS", default=True)
    else "servestatic.storage.CompressedManifestStaticFilesStorage"
)
SERVESTATIC_USE_FINDERS = switch("SERVE_STATIC_FROM_APPS", default=True)
STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]

# Accounts
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]  # `User.email`, not allauth's table of claims
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
vars().update(mail(printed=DEBUG))
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="acervo@localhost")

# Language and time
LANGUAGES = [("es", "Español"), ("en", "English")]
LANGUAGE_CODE = language(dict(LANGUAGES))
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = time_zone()
USE_TZ = True

# Security
SESSION_ENGINE = "accounts.http.sessions"  # 0.2 ms; a copy in a cache would outlive a sign-out elsewhere
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=31_536_000 if HTTPS else 0, least=0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
MCP_OAUTH = switch("MCP_OAUTH", default=True)  # beside API keys (docs/mcp.md)
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
METRICS_PORT = env.int("METRICS_PORT", default=0, least=0, most=MOST_PORT)

# One process owns the index, unless a server has it; it works too, unless there is a broker (SPEC §6)
QDRANT_URL = address("QDRANT_URL")
PGVECTOR_URL = env.str("PGVECTOR_URL", default="")
CELERY_BROKER_URL = broker()
EMBEDDED = not (QDRANT_URL or PGVECTOR_URL)
WORKERS_EMBEDDED = CELERY_BROKER_URL.startswith("memory:")

# Uploads (SPEC §3, RELIABILITY R11)
MAX_UPLOAD_BYTES = env.int("MAX_UPLOAD_BYTES", default=10 * 1024 * 1024, least=1)
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024  # of a body that is no file: JSON, a form (R0)
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
TRASH_DAYS = env.int("TRASH_DAYS", default=30, least=0)
PAGE_IMAGES_DAYS = env.int("PAGE_IMAGES_DAYS", default=7, least=0)
PAGE_IMAGES_MEGABYTES = env.int("PAGE_IMAGES_MEGABYTES", default=2048, least=0)
TRACES_KEPT_DAYS = env.int("TRACES_KEPT_DAYS", default=365)
AUDIT_KEPT_DAYS = env.int("AUDIT_KEPT_DAYS", default=0)
AUDIT_MINIMUM_DAYS = env.int("AUDIT_MINIMUM_DAYS", default=365)
INGEST_DIR = env.str("INGEST_DIR", default="")
INGEST_AGENT = env.str("INGEST_AGENT", default="tutor")
INGEST_ORGANIZATION = env.str("INGEST_ORGANIZATION", default="")

# Quotas (RELIABILITY R21): the limits of accounts/limits/declared.py; LIMITS changes amounts, QUOTAS=off lifts all
QUOTAS = switch("QUOTAS", default=True)
LIMITS = json_object("LIMITS")
MAX_QUESTION_CHARS = env.int("MAX_QUESTION_CHARS", default=8_000, least=1)

# The threads of a web process, and how many searches of one organization may wait for networks at once
THREADS = env.int("THREADS", default=4, least=1)
SEARCH_THREADS = env.int("SEARCH_THREADS", default=2, least=1)
SEARCHES_PER_ORGANIZATION = env.int("SEARCHES_PER_ORGANIZATION", default=32, least=1)

# Index, embeddings, models
PGVECTOR_CONNECTIONS = env.int("PGVECTOR_CONNECTIONS", default=8)
QDRANT_API_KEY = env.str("QDRANT_API_KEY", default="")
QDRANT_LAYOUT = env.str("QDRANT_LAYOUT", default="tenants")
QDRANT_SHARDS = env.int("QDRANT_SHARDS", default=1)
QDRANT_REPLICAS = env.int("QDRANT_REPLICAS", default=1)
QDRANT_WRITE_CONSISTENCY = env.int("QDRANT_WRITE_CONSISTENCY", default=1)
OPENAI_API_KEY = env.str("OPENAI_API_KEY", default="")
OPENAI_BASE_URL = env.str("OPENAI_BASE_URL", default="")
NO_THINK_MODELS = env.list("NO_THINK_MODELS", default=["qwen3"])
MODEL_HOSTS = env.list("MODEL_HOSTS", default=[])
ANTHROPIC_API_KEY = env.str("ANTHROPIC_API_KEY", default="")
ANTHROPIC_BASE_URL = env.str("ANTHROPIC_BASE_URL", default="")
EMBEDDING_MODEL = env.str("EMBEDDING_MODEL", default="")
EMBEDDING_DIMENSIONS = env.int("EMBEDDING_DIMENSIONS", default=1536, least=1, most=MOST_DIMENSIONS)
EMBEDDING_BASE_URL = env.str("EMBEDDING_BASE_URL", default="")
EMBEDDING_API_KEY = env.str("EMBEDDING_API_KEY", default="")
LOCAL_MODELS = env.str("LOCAL_MODELS", default="")
LOCAL_MODELS_PORT = env.int("LOCAL_MODELS_PORT", default=8901, least=1, most=MOST_PORT)
LOCAL_RERANKER = env.str("LOCAL_RERANKER", default="")
EMBEDDING_QUERY_PREFIX = env.str("EMBEDDING_QUERY_PREFIX", default="")
EMBEDDING_DOCUMENT_PREFIX = env.str("EMBEDDING_DOCUMENT_PREFIX", default="")
CHAT_MODEL = env.str("CHAT_MODEL", default="")
RERANK_URL = env.str("RERANK_URL", default="")
RERANK_MODEL = env.str("RERANK_MODEL", default="")
RERANK_API_KEY = env.str("RERANK_API_KEY", default="")
MODEL_PRICES = prices()
if LOCAL_MODELS:
    EMBEDDING_MODEL = EMBEDDING_MODEL or LOCAL_MODEL
    EMBEDDING_DIMENSIONS = env.int("EMBEDDING_DIMENSIONS", default=LOCAL_DIMENSIONS, least=1, most=MOST_DIMENSIONS)
    EMBEDDING_BASE_URL, EMBEDDING_API_KEY = f"http://127.0.0.1:{LOCAL_MODELS_PORT}/v1", ""
    RERANK_URL = f"http://127.0.0.1:{LOCAL_MODELS_PORT}/rerank" if LOCAL_RERANKER else RERANK_URL
RAG_ENABLED = switch("RAG_ENABLED", default=True)
RAG_MIN_CONFIDENCE = env.float("RAG_MIN_CONFIDENCE", default=0.6, least=0, most=1)
RAG_MAX_DOCUMENTS = env.int("RAG_MAX_DOCUMENTS", default=10, least=1)

# Calls of tools that a model may make in one answer, and the seconds that they may take together (docs/tools.md)
CHAT_TOOL_CALLS = env.int("CHAT_TOOL_CALLS", default=5, least=0)
CHAT_TOOL_SECONDS = env.float("CHAT_TOOL_SECONDS", default=30, least=0)
AGENT_CALLS_PER_MINUTE = env.int("AGENT_CALLS_PER_MINUTE", default=600, least=0)  # over its data, whoever makes them

# Data sources (docs/tools.md): which servers, which networks of our own, what seals their credentials
DATA_SOURCE_HOSTS = env.list("DATA_SOURCE_HOSTS", default=[])
DATA_SOURCE_NETWORKS = env.list("DATA_SOURCE_NETWORKS", default=[])
DATA_SOURCE_KEYS = env.list("DATA_SOURCE_KEYS", default=[])

# External tool servers (docs/tools.md): which may be added, which networks of our own, whether in the open
TOOL_SERVER_HOSTS = env.list("TOOL_SERVER_HOSTS", default=[])
TOOL_SERVER_NETWORKS = env.list("TOOL_SERVER_NETWORKS", default=[])
TOOL_SERVER_PLAIN_HTTP = switch("TOOL_SERVER_PLAIN_HTTP", default=False)

# Webhooks (docs/webhooks.md): which servers are told, which networks of our own, whether in the open; days of the log
WEBHOOK_HOSTS = env.list("WEBHOOK_HOSTS", default=["*"])
WEBHOOK_NETWORKS = env.list("WEBHOOK_NETWORKS", default=[])
WEBHOOK_PLAIN_HTTP = switch("WEBHOOK_PLAIN_HTTP", default=False)
WEBHOOK_LOG_DAYS = env.int("WEBHOOK_LOG_DAYS", default=30)

# Organizations' own providers (docs/sign-on.md): which are asked, which networks of our own, whether in the open
SIGN_ON_HOSTS = env.list("SIGN_ON_HOSTS", default=["*"])
SIGN_ON_NETWORKS = env.list("SIGN_ON_NETWORKS", default=[])
SIGN_ON_PLAIN_HTTP = switch("SIGN_ON_PLAIN_HTTP", default=False)
DNS_SERVERS = env.list("DNS_SERVERS", default=[])

# Background work
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# An upload waits for a broker that is down: once, and not for kombu's own 2 + 4 s (RELIABILITY, faults).
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_timeout": 1, "socket_connect_timeout": 1, "max_retries": 0}
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker outlives any outage of its broker
WORKER_THREADS = env.int("WORKER_THREADS", default=4, least=1)
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":  # a file cannot be restarted under a connection
    CELERY_DB_REUSE_MAX = 1_000  # tasks; opening costs 1 ms and more, of a document's 40

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.http.authentication.ApiKeyAuthentication",
        "accounts.http.authentication.MembershipSessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.http.authentication.IsMember"],
    "DEFAULT_PARSER_CLASSES": ["accounts.http.bodies.JSONParser", "rest_framework.parsers.MultiPartParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "accounts.http.paging.Pages",
    "DEFAULT_METADATA_CLASS": None,  # an address tells of itself in the schema
    "DEFAULT_SCHEMA_CLASS": "accounts.http.openapi.Schema",
    "EXCEPTION_HANDLER": "accounts.problems.exception_handler",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Acervo",
    "DESCRIPTION": "Corpora, agents and cited answers. Errors are RFC 9457 problems; see docs/errors.md.",
    "VERSION": "1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "validatorUrl": None},  # nobody else is asked about our schema
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {"DataSourceKindEnum": "tools.models.DataSource.Kind"},
    "SERVE_PERMISSIONS": ["accounts.http.authentication.IsMember"],
}
UNFOLD = {
    "SITE_TITLE": "Acervo",
    "SITE_HEADER": "Acervo",
    "SITE_SYMBOL": "menu_book",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "accounts.site.favicon"}],
    "SHOW_HISTORY": True,
    "DASHBOARD_CALLBACK": "chat.admin.home.home_figures",
    "STYLES": ["accounts.site.fonts", "accounts.site.colours"],
    "SCRIPTS": ["accounts.site.expressions"],
    "SIDEBAR": {"navigation": "accounts.admin.navigation.sidebar"},
}

LOG_LEVEL = log_level()
LOG_FORMAT = one_of("LOG_FORMAT", ("text", "json"))
LOGGING = logging_of(LOG_LEVEL, LOG_FORMAT)
