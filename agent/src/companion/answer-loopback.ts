import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ProofAnswer, ProofInput } from './prove.ts'
import type { WhoAsks } from './who-asks.ts'

export type LoopbackParts = {
  /** The pinned origin; undefined before the first check-in. */
  origin: () => string | undefined
  prove: (input: ProofInput) => Promise<ProofAnswer>
  /** Somebody signs in on this machine. */
  wake: () => void
  whoAsks: WhoAsks
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
  const { request, response, port, isTooFast } = call
  const origin = parts.origin()
  const errand = origin === undefined ? undefined : errandOf(request, port, origin)
  if (origin === undefined || errand === undefined) return notFound(response)
  if (errand === 'preflight') return preflight(response, origin)
  if (isTooFast[errand === 'return' ? 'navigation' : 'page']()) return end(response, 429)
  if (errand === 'return') return answerReturn(request, response, parts, origin)
  allow(response, origin)
  if (errand === 'attest') return answerAttest(request, response, parts)
  parts.wake()
  end(response, 204)
}

type Errand = 'preflight' | 'hello' | 'attest' | 'return'

const errands: Readonly<Record<string, Errand>> = {
  'OPTIONS /v1/hello': 'preflight',
  'OPTIONS /v1/attest': 'preflight',
  'GET /v1/hello': 'hello',
  'POST /v1/attest': 'attest',
  'GET /v1/return': 'return',
}

/**
 * What a request is here for; undefined whatever is wrong with it. It looks at everything and waits for nothing, so that
 * no answer comes sooner or later than another.
 */
function errandOf(request: IncomingMessage, port: number, origin: string): Errand | undefined {
  const { headers, httpVersion, method = '', url = '' } = request
  // A name that resolves to this machine brings a page of another site here (DNS rebinding).
  const isHere = [`127.0.0.1:${port}`, `localhost:${port}`].includes(headers.host ?? '')
  // A page's requests are HTTP/1.1 with a path, and open no other protocol.
  const isPlain = httpVersion === '1.1' && headers.upgrade === undefined
  const isOfPage = headers.origin === origin && fits(request, 'cors')
  const isNavigation = fits(request, 'navigate', 'document')
  const errand = errands[`${method} ${url.split('?', 1)[0]}`]
  return isHere && isPlain && (errand === 'return' ? isNavigation : isOfPage) ? errand : undefined
}

/** Whether the browser says that the request is of this mode; one that does not say so passes. */
function fits({ headers }: IncomingMessage, mode: string, destination?: string): boolean {
  const [itsMode, itsDestination] = [headers['sec-fetch-mode'], headers['sec-fetch-dest']]
  if (itsMode !== undefined && itsMode !== mode) return false
  return destination === undefined || itsDestination === undefined || itsDestination === destination
}

async function answerAttest(
  request: IncomingMessage,
  response: ServerResponse,
  { prove, wake, whoAsks }: LoopbackParts,
): Promise<void> {
  const body = await readBody(request)
  if (body === undefined) return end(response, 413)
  const answer = await prove({ challenge: challengeIn(body), via: 'fetch', ...asked(request, whoAsks) })
  if ('proof' in answer) wake()
  response.setHeader('content-type', 'application/json')
  end(response, 'proof' in answer ? 200 : 403, JSON.stringify(answer))
}

/** Sends the browser back with the proof in the fragment, which no server and no proxy sees. */
async function answerReturn(
  request: IncomingMessage,
  response: ServerResponse,
  { prove, wake, whoAsks }: LoopbackParts,
  origin: string,
): Promise<void> {
  const challenge = new URLSearchParams(request.url?.split('?', 2)[1]).get('c') ?? ''
  const answer = await prove({ challenge, via: 'navigation', ...asked(request, whoAsks) })
  if ('proof' in answer) wake()
  const result = 'proof' in answer ? `proof=${answer.proof}` : 'error=proof_invalid'
  response.setHeader('location', `${origin}/signin/return#${result}`)
  response.setHeader('referrer-policy', 'no-referrer')
  end(response, 303)
}

const asked = ({ socket }: IncomingMessage, { peer, people }: WhoAsks) => ({
  peer: () => peer(socket.remotePort ?? 0, socket.localPort ?? 0),
  people,
})

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

/** The same to everybody whom this is not for, in any HTTP, without a word on what is here. */
function notFound(response: ServerResponse): void {
  if (response.headersSent) return
  response.setHeader('connection', 'close')
  response.setHeader('content-length', '0')
  end(response, 404)
}
