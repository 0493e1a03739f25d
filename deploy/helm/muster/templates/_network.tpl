{{/* What every process of Muster calls: name servers and PostgreSQL. */}}
{{- define "muster.databaseEgress" -}}
- to:
    {{- toYaml .Values.networkPolicy.dnsTo | nindent 4 }}
  ports:
    - { port: {{ .Values.networkPolicy.dnsPort }}, protocol: UDP }
    - { port: {{ .Values.networkPolicy.dnsPort }}, protocol: TCP }
- ports:
    - { port: {{ .Values.networkPolicy.databasePort }}, protocol: TCP }
  {{- with .Values.networkPolicy.databaseTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* Receivers of events and identity providers. */}}
{{- define "muster.publicEgress" -}}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except: [0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16, 224.0.0.0/4, 240.0.0.0/4]
    - ipBlock:
        cidr: 2000::/3
  ports:
    - { port: 443, protocol: TCP }
{{- end }}
