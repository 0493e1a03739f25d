import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Arrival } from './describe-arrival.ts'
import type { RememberedSets } from './remember-sets.ts'
import type { SetError, Verdict } from './verify-set.ts'

export const faults = ['503', '429', '400', 'hang'] as const
export type Fault = (typeof faults)[number]

export type Listening = {
  port: number
  path: string
  /** PEM; undefined for plain HTTP. */
  tls: { cert: string; key: string } | undefined
  /** What the Authorization header has to be; undefined for anything. */
  authorization: string | undefined
  /** How every event is answered for the moment, whatever it is; undefined to do what is right. */
  fault: () => Fault | undefined
  verify: (token: string) => Promise<Verdict>
  seen: RememberedSets
  /** Resolves when it was shown; the answer waits for it. */
  show: (arrival: Omit<Arrival, 'receivedAt'>) => Promise<void>
}

type Reply = { status: number; headers?: Record<string, string>; body?: object }

const largestToken = 65_536
const mediaType = 'application/secevent+jwt'

/** Takes pushed events (RFC 8935 §2) on loopback. Rejects when the port cannot be had. */
export async function listenForSets(listening: Listening): Promise<{ close(): Promise<void> }> {
  const answer = (request: IncomingMessage, response: ServerResponse) =>
    void respond(request, response, listening).catch(() => request.destroy())
  const server = listening.tls ? createHttpsServer(listening.tls, answer) : createHttpServer(answer)
  server.listen(listening.port, '127.0.0.1')
  await once(server, 'listening')
  return {
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function respond(request: IncomingMessage, response: ServerResponse, listening: Listening): Promise<void> {
  const reply = await judgeRequest(request, listening)
  if (!reply) return
  const body = reply.body ? JSON.stringify(reply.body) : ''
  response.writeHead(reply.status, {
    ...(reply.body && { 'content-type': 'application/json', 'content-language': 'en' }),
    'content-length': Buffer.byteLength(body),
    // What was not read of a body that is too long is in the way of the next request.
    ...(!request.complete && { connection: 'close' }),
    ...reply.headers,
  })
  response.end(body)
}

/** Undefined when nothing is to be answered. */
async function judgeRequest(request: IncomingMessage, listening: Listening): Promise<Reply | undefined> {
  const { method, url = '/', headers } = request
  if (url.split('?')[0] !== listening.path) return { status: 404 }
  if (method !== 'POST') return { status: 405, headers: { allow: 'POST' } }
  if (!isAuthorized(headers.authorization, listening.authorization)) {
    return refuse(listening, 'authentication_failed', 'The Authorization header is not the agreed one')
  }
  if (headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== mediaType) {
    return refuse(listening, 'invalid_request', `The body has to be ${mediaType}`)
  }
  const token = await readToken(request)
  if (token === undefined) return refuse(listening, 'invalid_request', `Longer than ${largestToken} bytes`)
  return judgeToken(token, listening)
}

async function judgeToken(token: string, listening: Listening): Promise<Reply | undefined> {
  const { verify, seen, show } = listening
  const verdict = await verify(token)
  const claims = verdict.kind === 'valid' ? verdict.claims : null
  const fault = listening.fault()
  if (fault) {
    await show({ outcome: fault === '400' ? 'refused' : 'put_off', detail: `by --answer ${fault}`, claims })
    return faulty[fault]
  }
  if (verdict.kind === 'refused') return refuse(listening, verdict.err, verdict.description)
  if (verdict.kind === 'unavailable') {
    await show({ outcome: 'put_off', detail: verdict.description, claims })
    return { status: 503, headers: { 'retry-after': '5' } }
  }
  const { jti } = verdict.claims
  const isRepeat = seen.has(jti)
  seen.add(jti)
  await show({
    outcome: isRepeat ? 'repeated' : 'accepted',
    detail: isRepeat ? 'it came before' : null,
    claims: verdict.claims,
  })
  return { status: 202 }
}

const faulty: Record<Fault, Reply | undefined> = {
  503: { status: 503 },
  429: { status: 429, headers: { 'retry-after': '5' } },
  400: { status: 400, body: { err: 'invalid_request', description: 'As --answer 400 asks' } },
  hang: undefined,
}

/** RFC 8935 §2.3. */
async function refuse({ show }: Listening, err: SetError, description: string): Promise<Reply> {
  await show({ outcome: 'refused', detail: `${err}: ${description}`, claims: null })
  return { status: 400, body: { err, description } }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const isAuthorized = (given: string | undefined, agreed: string | undefined): boolean =>
  agreed === undefined || (given !== undefined && timingSafeEqual(digest(given), digest(agreed)))

/** Undefined when it is too long. */
async function readToken(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > largestToken) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8').trim()
}
