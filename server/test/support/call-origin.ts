import http from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'

export type Call = {
  key?: string | undefined
  /** Sent as JSON, or as it is where it is a buffer. */
  body?: unknown
  headers?: Record<string, string>
  /** PEM of the authority to trust. */
  ca?: string
  /** Takes any certificate. */
  isTrusting?: boolean
}

export type OriginAnswer = {
  status: number
  // A test asserts whole bodies, so their type would only be in the way.
  // biome-ignore lint/suspicious/noExplicitAny: as above
  body: any
  headers: http.IncomingHttpHeaders
}

const timeoutMs = 60_000

/** One request on a connection of its own, so that no test meets the remains of a killed process. */
export function callOrigin(origin: string, method: string, path: string, call: Call = {}): Promise<OriginAnswer> {
  const { key, body, headers = {}, ca, isTrusting = false } = call
  const payload = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
  const url = new URL(path, origin)
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      agent: false,
      timeout: timeoutMs,
      rejectUnauthorized: !isTrusting,
      ...(ca !== undefined && { ca }),
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
        ...headers,
      },
    })
    sent.on('response', (response) => {
      text(response).then((answered) => {
        const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json')
        const parsed: unknown = isJson ? JSON.parse(answered) : answered
        resolve({ status: response.statusCode ?? 0, body: parsed, headers: response.headers })
      }, reject)
    })
    sent.on('timeout', () => sent.destroy(new Error(`No answer within ${timeoutMs} ms`)))
    sent.on('error', reject)
    sent.end(payload)
  })
}
