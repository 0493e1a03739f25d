import type { IncomingMessage, ServerResponse } from 'node:http'
import { type PeerUser, peerUser } from './peer-user.ts'
import type { ProofInput } from './prove.ts'

export type LoopbackParts = {
  /** The pinned origin; undefined before the first contact. */
  origin: () => string | undefined
  prove: (input: ProofInput) => Promise<string | undefined>
  /** Somebody signs in on this machine. */
  wake: () => void
}

const maxBodyBytes = 8 * 1024

type Call = {
  request: IncomingMessage
  response: ServerResponse
  port: number
  isTooFast: Readonly<Record<'page' | 'navigation', () => boolean>>
}

/** Answers a request at loopback (docs/companion-protocol.md). Never rejects. */
export const answerLoopback = (call: Call, parts: LoopbackParts): Promise<void> =>
  answer(call, parts).catch(() => notFound(call.response))

async function answer(call: Call, parts: LoopbackParts): Promise<void> {
  const { request, response, port } = call
  // A name that resolves to this machine brings a page of another site here (DNS rebinding).
  if (![`127.0.0.1:${port}`, `localhost:${port}`].includes(request.headers.host ?? '')) return end(response, 421)
  const origin = parts.origin()
  // A page's requests are HTTP/1.1 with a path, and open no other protocol.
  const [pathname = '', query = ''] = (request.url ?? '').split('?', 2)
  const isPlain = request.httpVersion === '1.1' && request.headers.upgrade === undefined
  if (origin === undefined || !isPlain) return notFound(response)
  const isOfPage = request.headers.origin === origin && fits(request, 'cors')
  if (isOfPage && request.method === 'OPTIONS' && ['/v1/hello', '/v1/attest'].includes(pathname)) {
    return preflight(response, origin)
  }
  const isReturn = request.method === 'GET' && pathname === '/v1/return' && fits(request, 'navigate', 'document')
  const isHello = request.method === 'GET' && pathname === '/v1/hello' && isOfPage
  const isAttest = request.method === 'POST' && pathname === '/v1/attest' && isOfPage
  if (!isReturn && !isHello && !isAttest) return notFound(response)
  if (call.isTooFast[isReturn ? 'navigation' : 'page']()) return end(response, 429)
  if (isReturn) return answerReturn(call, parts, { origin, challenge: new URLSearchParams(query).get('c') ?? '' })
  allow(response, origin)
  if (isHello) {
    parts.wake()
    return end(response, 204)
  }
  return answerAttest(call, parts)
}

/** Whether the browser says that the request is of this mode; one that does not say so passes. */
function fits({ headers }: IncomingMessage, mode: string, destination?: string): boolean {
  const [itsMode, itsDestination] = [headers['sec-fetch-mode'], headers['sec-fetch-dest']]
  if (itsMode !== undefined && itsMode !== mode) return false
  return destination === undefined || itsDestination === undefined || itsDestination === destination
}

async function answerAttest({ request, response }: Call, { prove, wake }: LoopbackParts): Promise<void> {
  const body = await readBody(request)
  if (body === undefined) return end(response, 413)
  const proof = await prove({ challenge: challengeIn(body), via: 'fetch', user: await userOf(request) })
  if (proof === undefined) return end(response, 403)
  wake()
  response.setHeader('content-type', 'application/json')
  end(response, 200, JSON.stringify({ proof }))
}

/** Sends the browser back with the proof in the fragment, which no server and no proxy sees. */
async function answerReturn(
  { request, response }: Call,
  { prove, wake }: LoopbackParts,
  { origin, challenge }: { origin: string; challenge: string },
): Promise<void> {
  const proof = await prove({ challenge, via: 'navigation', user: await userOf(request) })
  if (proof !== undefined) wake()
  const result = proof === undefined ? 'error=proof_invalid' : `proof=${proof}`
  response.setHeader('location', `${origin}/signin/return#${result}`)
  response.setHeader('referrer-policy', 'no-referrer')
  end(response, 303)
}

const userOf = ({ socket }: IncomingMessage): Promise<PeerUser | undefined> =>
  peerUser(socket.remotePort ?? 0, socket.localPort ?? 0)

function challengeIn(body: string): string {
  try {
    const { challenge } = JSON.parse(body) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

/** The body as text; undefined when it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function allow(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'Origin')
}

function preflight(response: ServerResponse, origin: string): void {
  allow(response, origin)
  response.setHeader('access-control-allow-methods', 'GET, POST')
  response.setHeader('access-control-allow-headers', 'content-type')
  // Forks of Chromium still ask for it.
  response.setHeader('access-control-allow-private-network', 'true')
  response.setHeader('access-control-max-age', '600')
  end(response, 204)
}

function end(response: ServerResponse, status: number, text = ''): void {
  response.writeHead(status, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }).end(text)
}

/** The same to everybody whom this is not for, without a word on what is here. */
function notFound(response: ServerResponse): void {
  if (!response.headersSent) end(response, 404)
}
