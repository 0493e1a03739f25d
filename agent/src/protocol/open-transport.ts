import { readFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { BlockList, isIP } from 'node:net'
import { interpretAnswer, type Outcome } from './interpret-answer.ts'

export type Transport = {
  /**
   * Posts JSON text; `nodeKey` goes into the Authorization header, and `dpop` into the one of its name, whose nonce for the
   * next request is in the outcome (RFC 9449). Rejects when no answer came.
   */
  post: (path: string, json: string, nodeKey: string | undefined, dpop?: string) => Promise<NoncedOutcome>
  /** Gives up all connections, as after a sleep, in which the server has given them up: what waits for an answer is sent again once. */
  renewConnections: () => void
  close: () => Promise<void>
}

export type NoncedOutcome = Outcome & { nonce?: string }

export type TransportOptions = { server: string; caFile?: string | undefined; signal: AbortSignal; timeoutMs?: number }

/** osquery's network timeout. */
const defaultTimeoutMs = 16_000
const maxAnswerBytes = 8 * 1024 * 1024
const agentName = 'muster-agent/0-standin'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** The server's address, https, or http on this machine only: the enroll secret must not cross a network in plain text. */
export function checkServerUrl(server: string): URL {
  // URL.parse is not in every Node 22, which is enough for the companion.
  const url = URL.canParse(server) ? new URL(server) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new Error(`not an https address: ${server}`)
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') throw new Error(`not a plain address: ${server}`)
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new Error(`${server} is not https; http is for this machine only`)
  }
  return url
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(host)
  return host === 'localhost' || (family !== 0 && loopback.check(host, family === 4 ? 'ipv4' : 'ipv6'))
}

/** Opens kept-alive connections to the server, with the certificates of `caFile` as the only trust when given. */
export async function openTransport(options: TransportOptions): Promise<Transport> {
  const url = checkServerUrl(options.server)
  const base = `${url.origin}${url.pathname.replace(/\/$/, '')}`
  const ca = options.caFile === undefined ? undefined : await readFile(options.caFile, 'utf8')
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  const secure = url.protocol === 'https:'
  const agent = keptConnections(secure, ca)
  let renewals = 0
  const send: Transport['post'] = async (path, json, nodeKey, dpop) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(json),
      accept: 'application/json',
      'user-agent': agentName,
      ...(nodeKey === undefined ? {} : { authorization: `NodeKey ${nodeKey}` }),
      ...(dpop !== undefined && { dpop }),
    }
    const request = (secure ? https : http).request(`${base}${path}`, {
      method: 'POST',
      agent,
      headers,
      signal: options.signal,
      timeout: timeoutMs,
    })
    const { status, text, nonce } = await exchange(request, json, timeoutMs)
    // Following a redirect would carry the secret to wherever it points.
    if (status >= 300 && status < 400) return { kind: 'refused', message: `the server redirects (HTTP ${status})` }
    return { ...interpretAnswer(status, text), ...(nonce !== undefined && { nonce }) }
  }
  return {
    async post(path, json, nodeKey, dpop) {
      const before = renewals
      try {
        return await send(path, json, nodeKey, dpop)
      } catch (error) {
        // As osquery: a request that breaks on a kept-alive connection is sent again once, at once.
        const isSentAgain = isBrokenConnection(error) || renewals > before
        if (!isSentAgain || options.signal.aborted) throw error
        return await send(path, json, nodeKey, dpop)
      }
    },
    renewConnections() {
      renewals += 1
      agent.destroy()
    },
    async close() {
      agent.destroy()
    },
  }
}

/**
 * One connection for each of config, distributed and logger, open from one poll to the next. Node's own client:
 * undici costs 29 MB of memory (measured), a fifth of what the agent may use.
 */
function keptConnections(secure: boolean, ca: string | undefined): http.Agent {
  const kept = { keepAlive: true, maxSockets: 3, maxFreeSockets: 3 }
  if (!secure) return new http.Agent(kept)
  return new https.Agent({ ...kept, minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) })
}

function exchange(
  request: http.ClientRequest,
  json: string,
  timeoutMs: number,
): Promise<{ status: number; text: string; nonce: string | undefined }> {
  return new Promise((resolve, reject) => {
    request.on('error', (cause: NodeJS.ErrnoException) => {
      reject(request.reusedSocket ? new BrokenConnection(cause.message, { cause }) : cause)
    })
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      const nonce = headers['dpop-nonce']
      const named = typeof nonce === 'string' ? nonce : undefined
      readBody(response).then((text) => resolve({ status, text, nonce: named }), reject)
    })
    request.end(json)
  })
}

async function readBody(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) throw new Error('the answer is larger than 8 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A kept-alive connection that the other side had given up. */
class BrokenConnection extends Error {}

function isBrokenConnection(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
  return error instanceof BrokenConnection && (code === 'ECONNRESET' || code === 'EPIPE')
}
