import { readFile } from 'node:fs/promises'
import { BlockList, isIP } from 'node:net'
import { Agent, request } from 'undici'
import { interpretAnswer, type Outcome } from './interpret-answer.ts'

export type Transport = {
  /** Posts JSON text; `nodeKey` goes into the Authorization header. Rejects when no answer came. */
  post: (path: string, json: string, nodeKey: string | undefined) => Promise<Outcome>
  close: () => Promise<void>
}

export type TransportOptions = { server: string; caFile?: string | undefined; signal: AbortSignal; timeoutMs?: number }

/** osquery's network timeout. */
const defaultTimeoutMs = 16_000
const maxAnswerBytes = 8 * 1024 * 1024
const agentName = 'muster-agent/0-standin'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** The server's address, https, or http on this machine only: the enrol secret must not cross a network in clear. */
export function checkServerUrl(server: string): URL {
  const url = URL.parse(server)
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
  const dispatcher = new Agent({
    connect: { timeout: timeoutMs, minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) },
    // One connection for each of config, distributed and logger, kept longer than any poll.
    connections: 3,
    pipelining: 1,
    keepAliveTimeout: 300_000,
    keepAliveMaxTimeout: 3_600_000,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxAnswerBytes,
  })
  const send = async (path: string, json: string, nodeKey: string | undefined): Promise<Outcome> => {
    const answer = await request(`${base}${path}`, {
      method: 'POST',
      dispatcher,
      signal: options.signal,
      body: json,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': agentName,
        ...(nodeKey === undefined ? {} : { authorization: `NodeKey ${nodeKey}` }),
      },
    })
    const text = await answer.body.text()
    // Following a redirect would carry the secret to wherever it points.
    if (answer.statusCode >= 300 && answer.statusCode < 400) {
      return { kind: 'refused', message: `the server redirects (HTTP ${answer.statusCode})` }
    }
    return interpretAnswer(answer.statusCode, text)
  }
  return {
    async post(path, json, nodeKey) {
      try {
        return await send(path, json, nodeKey)
      } catch (error) {
        // As osquery: a request that breaks on a kept-alive connection is sent again once, at once.
        if (!isBrokenConnection(error) || options.signal.aborted) throw error
        return await send(path, json, nodeKey)
      }
    },
    close: () => dispatcher.destroy(),
  }
}

function isBrokenConnection(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(code)
}
