#!/bin/sh
# The three calls without a client: sh curl.sh FILE. ACERVO is the installation's address, KEY your API key, CORPUS a
# corpus's id, AGENT an agent's slug or id. curl 7.76 or later: what a refusal says is shown.
set -eu
: "${1:?which file?}" "${ACERVO:?}" "${KEY:?}" "${CORPUS:?}" "${AGENT:?}"
api() { curl --fail-with-body -sS -H "Authorization: Bearer $KEY" "$@"; }

# A document to a corpus of yours; it is found within seconds.
api -F "file=@$1" "$ACERVO/api/corpora/$CORPUS/documents/"

# The passages, and an answer as it is written (-N shows each event as it comes).
api -H "Content-Type: application/json" -d '{"query": "¿Cuánto dura un préstamo?"}' "$ACERVO/api/agents/$AGENT/retrieve/"
api -N -H "Content-Type: application/json" \
    -d '{"messages": [{"role": "user", "content": "¿Cuánto dura un préstamo?"}]}' "$ACERVO/api/agents/$AGENT/chat/"
