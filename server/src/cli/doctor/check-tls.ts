import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { Config } from '../../base/config/load-config.ts'
import { dayMs } from '../../base/time.ts'
import { type Finding, failed, ok, warning } from './finding.ts'

const name = 'TLS'
const soonDays = 14

/** The certificate's key, dates and names, or how else the connections of agents are protected. */
export async function checkTls({ tls, baseUrl, trustProxy }: Config, nowMs: number): Promise<Finding[]> {
  const { protocol, hostname } = new URL(baseUrl)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (!tls) return [judgeWithoutFiles(protocol, host, trustProxy !== false)]
  const certificate = new X509Certificate(await readFile(tls.certFile))
  const key = createPrivateKey(await readFile(tls.keyFile))
  const days = Math.floor((Date.parse(certificate.validTo) - nowMs) / dayMs)
  if (!certificate.checkPrivateKey(key)) return [failed(name, `${tls.keyFile} is not the key of ${tls.certFile}`)]
  if (Date.parse(certificate.validFrom) > nowMs) return [failed(name, `valid only from ${certificate.validFrom}`)]
  if (days < 0) return [failed(name, `the certificate expired on ${certificate.validTo}`)]
  if (protocol !== 'https:') return [failed(name, `MUSTER_BASE_URL is ${baseUrl}, but the server speaks HTTPS`)]
  const isNamed = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)
  if (!isNamed) return [failed(name, `the certificate is not for ${host}, only for ${certificate.subjectAltName}`)]
  const detail = `the certificate for ${host} is valid for ${days} days`
  return [days < soonDays ? warning(name, detail) : ok(name, detail)]
}

function judgeWithoutFiles(protocol: string, host: string, isProxied: boolean): Finding {
  if (protocol === 'https:') {
    return isProxied
      ? ok(name, 'ended by the proxy in front')
      : failed(name, 'MUSTER_BASE_URL is https, but there are neither TLS files nor a trusted proxy')
  }
  const isLocal = host === 'localhost' || host === '127.0.0.1' || host === '::1'
  return isLocal
    ? ok(name, 'none, for this machine only: agents on other machines need HTTPS')
    : warning(name, `MUSTER_BASE_URL is http: osquery refuses to talk to ${host} without HTTPS`)
}
