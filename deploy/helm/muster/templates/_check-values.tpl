{{/* What a schema cannot say: rules between values. */}}
{{- define "muster.checkValues" -}}
{{- $drain := int .Values.drainSeconds }}
{{- if lt (int .Values.server.terminationGracePeriodSeconds) (add $drain 15 | int) }}
{{- fail (printf "server.terminationGracePeriodSeconds must be at least %d: drainSeconds and 15 more to answer and to write what is buffered" (add $drain 15)) }}
{{- end }}
{{- if and .Values.server.autoscaling.enabled (lt (int .Values.server.autoscaling.maxReplicas) (int .Values.server.autoscaling.minReplicas)) }}
{{- fail "server.autoscaling.maxReplicas must not be below minReplicas" }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled .Values.networkPolicy.enabled (not .Values.networkPolicy.metricsFrom) }}
{{- fail "serviceMonitor needs networkPolicy.metricsFrom: name the pods of Prometheus" }}
{{- end }}
{{- if and .Values.databaseCa.configMap .Values.databaseCa.secret }}
{{- fail "databaseCa takes configMap or secret, not both" }}
{{- end }}
{{- end }}
