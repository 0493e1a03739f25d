{{/*
Every process reads the whole configuration and refuses to start with a fault in it, so all have the same environment.
HOST and PORT come with the image.
*/}}
{{- define "muster.environment" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.existingSecret }}
      key: DATABASE_URL
- name: MUSTER_MASTER_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.existingSecret }}
      key: MUSTER_MASTER_KEY
- name: MUSTER_METRICS_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ .Values.existingSecret }}
      key: MUSTER_METRICS_TOKEN
      optional: {{ not .Values.serviceMonitor.enabled }}
{{- range list "MUSTER_OIDC_CLIENT_SECRET" "MUSTER_BOOTSTRAP_API_KEY" "MUSTER_BOOTSTRAP_ENROLL_SECRET" "MUSTER_BOOTSTRAP_ADMIN_PASSWORD" }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.existingSecret }}
      key: {{ . }}
      optional: true
{{- end }}
- name: MUSTER_BASE_URL
  value: {{ .Values.baseUrl | quote }}
- name: MUSTER_TRUST_PROXY
  value: {{ join "," .Values.trustProxy | quote }}
- name: MUSTER_DRAIN_SECONDS
  value: {{ .Values.drainSeconds | quote }}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ kindIs "float64" $value | ternary (toJson $value) (toString $value) | quote }}
{{- end }}
{{- end }}
