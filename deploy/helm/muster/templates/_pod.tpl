{{/* What the pods of all components share: dict "root" $ "component" NAME "values" VALUES "serviceAccount" NAME */}}
{{- define "muster.podMetadata" -}}
labels:
  {{- include "muster.componentLabels" . | nindent 2 }}
  {{- with .values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .values.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "muster.podSettings" -}}
serviceAccountName: {{ .serviceAccount }}
automountServiceAccountToken: false
{{- /* Variables that Kubernetes makes of Services begin with MUSTER_ too, and Muster refuses settings that it does not know. */}}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  seccompProfile:
    type: RuntimeDefault
  {{- with .root.Values.podSecurityContext }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "muster.spread" -}}
topologySpreadConstraints:
{{- if .values.topologySpreadConstraints }}
  {{- toYaml .values.topologySpreadConstraints | nindent 2 }}
{{- else }}
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "muster.componentSelector" . | nindent 8 }}
{{- end }}
{{- end }}

{{- define "muster.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "muster.container" -}}
image: {{ include "muster.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{ include "muster.containerSecurity" . }}
env:
  {{- include "muster.environment" .root | nindent 2 }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
volumeMounts:
  - name: data
    mountPath: /var/lib/muster
  - name: tmp
    mountPath: /tmp
  {{- if or .root.Values.databaseCa.configMap .root.Values.databaseCa.secret }}
  - name: database-ca
    mountPath: /etc/muster/database-ca
    readOnly: true
  {{- end }}
{{- end }}

{{/* PostgreSQL keeps everything, so nothing here outlives a pod. */}}
{{- define "muster.volumes" -}}
volumes:
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
  {{- with .Values.databaseCa }}
  {{- if or .configMap .secret }}
  - name: database-ca
    {{- if .configMap }}
    configMap:
      name: {{ .configMap }}
    {{- else }}
    secret:
      secretName: {{ .secret }}
    {{- end }}
      items:
        - key: {{ .key | quote }}
          path: {{ .key | quote }}
  {{- end }}
  {{- end }}
{{- end }}

{{/* The readiness probe notices within 10 seconds that a server drains: less than drainSeconds may be. */}}
{{- define "muster.probes" -}}
startupProbe:
  httpGet:
    path: /livez
    port: http
  periodSeconds: 5
  failureThreshold: 60
livenessProbe:
  httpGet:
    path: /livez
    port: http
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet:
    path: /readyz
    port: http
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end }}
