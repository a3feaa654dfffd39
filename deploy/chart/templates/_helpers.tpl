{{- define "acervo.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{/* Of every pod of the release: what the network policy that denies everything chooses. */}}
{{- define "acervo.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "acervo.labels" -}}
{{ include "acervo.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "acervo.image" -}}
{{ required "image.repository: where you pushed what the Dockerfile builds" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Settings of every process. What is secret is referred to, never written. */}}
{{- define "acervo.settings" -}}
{{- $own := dict
  "HTTPS" "true"
  "ALLOWED_HOSTS" .Values.host
  "CSRF_TRUSTED_ORIGINS" (printf "https://%s" .Values.host)
  "DATA_DIR" "/data/acervo"
  "PORT" "8000"
  "FORWARDED_ALLOW_IPS" "*"
  "METRICS_PORT" (toString .Values.metricsPort) -}}
{{- range $name, $value := merge (deepCopy .Values.settings) $own }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- $secret := required "secret: the name of an existing Secret" .Values.secret }}
{{- $required := list "SECRET_KEY" "DATABASE_URL" "CELERY_BROKER_URL" "CACHE_URL" }}
{{- range eq .Values.index "pgvector" | ternary (append $required "PGVECTOR_URL") $required }}
- name: {{ . }}
  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: {{ . }}}}
{{- end }}
{{- range .Values.optionalSecretKeys }}
- name: {{ . }}
  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: {{ . }}, optional: true}}
{{- end }}
{{- end }}

{{/* (dict "root" $ "component" … "resources" … "command" (list …) "ownerSecret" …): what all containers have in common. */}}
{{- define "acervo.container" -}}
name: {{ .component }}
image: {{ include "acervo.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
command: {{ .command | toJson }}
env:
  {{- include "acervo.settings" .root | nindent 2 }}
  {{- with .ownerSecret }}
  - name: DATABASE_OWNER_URL
    valueFrom: {secretKeyRef: {name: {{ . }}, key: DATABASE_OWNER_URL}}
  {{- end }}
securityContext: {{ .root.Values.securityContext | toJson }}
resources: {{ .resources | toJson }}
volumeMounts:
  - {name: tmp, mountPath: /tmp}
  - {name: data, mountPath: /data}
  {{- with .root.Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* (dict "root" $ "component" …): what all pods have in common. */}}
{{- define "acervo.pod" -}}
automountServiceAccountToken: false
{{- with .root.Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- with .root.Values.affinity }}
affinity: {{ toJson . }}
{{- end }}
enableServiceLinks: false
# The pause container reaps what an extraction leaves behind, as Docker's init does in compose.yml.
shareProcessNamespace: true
securityContext: {{ .root.Values.podSecurityContext | toJson }}
topologySpreadConstraints:
  {{- range .root.Values.topologySpread.topologyKeys }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: {{ $.root.Values.topologySpread.whenUnsatisfiable }}
    labelSelector:
      matchLabels:
        {{- include "acervo.selector" $.root | nindent 8 }}
        app.kubernetes.io/component: {{ $.component }}
  {{- end }}
volumes:
  - name: tmp
    emptyDir: {sizeLimit: {{ .root.Values.scratch.tmp }}}
  - name: data
    emptyDir: {sizeLimit: {{ .root.Values.scratch.data }}}
  {{- with .root.Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "acervo.podMetadata" -}}
labels:
  {{- include "acervo.labels" .root | nindent 2 }}
  app.kubernetes.io/component: {{ .component }}
{{- with .root.Values.podAnnotations }}
annotations: {{ toJson . }}
{{- end }}
{{- end }}
