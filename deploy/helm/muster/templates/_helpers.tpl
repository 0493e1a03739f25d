{{- define "muster.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- $full | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "muster.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* For one component: dict "root" $ "component" "server" */}}
{{- define "muster.componentSelector" -}}
{{ include "muster.selectorLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "muster.labels" -}}
{{ include "muster.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "muster.componentLabels" -}}
{{ include "muster.labels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "muster.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end }}

{{- define "muster.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "muster.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ .Values.serviceAccount.name }}
{{- end -}}
{{- end }}

{{/* The account of the release does not exist before its hooks have run, so the migration has one of its own. */}}
{{- define "muster.migrationServiceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ include "muster.serviceAccountName" . }}-migrate
{{- else -}}
{{ .Values.serviceAccount.name }}
{{- end -}}
{{- end }}
