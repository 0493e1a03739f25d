import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pageHeaders } from '../../http/page/page-headers.ts'

export type PartyRequest = {
  method: string
  path: string
  query: URLSearchParams
  authorization: string
  cookie: (name: string) => string | undefined
  /** The fields of a form; empty when it is too long. */
  form: () => Promise<URLSearchParams>
}

export type PartyAnswer = {
  status?: number
  type?: string
  text?: string | Buffer
  location?: string
  cookies?: readonly string[]
}

/** One of the demo's own services: an origin on this machine. */
export type Party = {
  origin: string
  /** Until it is called, every request is answered with 503. */
  serve: (answer: (request: PartyRequest) => Promise<PartyAnswer> | PartyAnswer, formsLeadTo?: string) => void
  close: () => Promise<void>
}

const maxFormBytes = 16 * 1024

/** Listens on 127.0.0.1 at a free port. Who comes by the name `localhost` is sent to the address. */
export async function openParty(onError: (error: unknown) => void): Promise<Party> {
  const server = createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 10_000, headersTimeout: 5_000 })
  server.maxConnections = 100
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve())
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port was given')
  const origin = `http://127.0.0.1:${address.port}`
  let answer: Parameters<Party['serve']>[0] = () => ({ status: 503, text: 'Starting' })
  let formAction = "'self'"
  server.on('request', (request, response) => {
    respond({ origin, formAction, answer }, request, response).catch((error: unknown) => {
      onError(error)
      send(response, formAction, { status: 500, text: 'Something broke in the demo. Its log says what.' })
    })
  })
  return {
    origin,
    serve(work, formsLeadTo) {
      answer = work
      if (formsLeadTo !== undefined) formAction = `'self' ${formsLeadTo}`
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Serving = { origin: string; formAction: string; answer: Parameters<Party['serve']>[0] }

async function respond(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { origin, formAction, answer } = serving
  const { method = '', headers } = request
  if (request.url === '/favicon.ico') return send(response, formAction, { status: 204 })
  const refusal = refusalOf(origin, request)
  if (refusal) return send(response, formAction, refusal)
  const url = new URL(request.url ?? '/', origin)
  const answered = await answer({
    method,
    path: url.pathname,
    query: url.searchParams,
    authorization: headers.authorization ?? '',
    cookie: (name) => cookieIn(headers.cookie ?? '', name),
    form: () => readForm(request),
  })
  send(response, formAction, answered)
}

/** A name that resolves to this machine brings a page of another site here (DNS rebinding), and so does its form. */
function refusalOf(origin: string, { method, url = '/', headers }: IncomingMessage): PartyAnswer | undefined {
  const { host, port } = new URL(origin)
  if (headers.host === `localhost:${port}` && method === 'GET' && url.startsWith('/')) {
    return { status: 302, location: origin + url }
  }
  if (headers.host !== host) return { status: 421, text: 'The demo is not at this address.' }
  if (!URL.canParse(url, origin) || !['GET', 'POST'].includes(method ?? '')) return { status: 400, text: 'Bad request' }
  if (method === 'POST' && headers.origin !== undefined && headers.origin !== origin) {
    return { status: 403, text: 'This form is not of the demo.' }
  }
  return undefined
}

function cookieIn(header: string, name: string): string | undefined {
  const found = header.split(';').find((pair) => pair.trim().startsWith(`${name}=`))
  return found?.trim().slice(name.length + 1)
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxFormBytes) return new URLSearchParams()
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

function send(response: ServerResponse, formAction: string, answer: PartyAnswer): void {
  if (response.headersSent) return
  const { location, cookies = [], text = '', type = 'text/plain; charset=utf-8' } = answer
  const ours = "'self'"
  const headers = pageHeaders({
    ...{ 'script-src': ours, 'style-src': ours, 'font-src': ours, 'img-src': ours, 'connect-src': ours },
    forms: formAction,
  })
  response.writeHead(answer.status ?? (location === undefined ? 200 : 303), {
    'content-type': type,
    'cache-control': 'no-store',
    ...headers,
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    ...(location !== undefined && { location }),
    ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
  })
  response.end(text)
}

/** Ends with the browser, and is read by the server that gave it. Cookies ignore ports, so each party has a name of its own. */
export const partyCookie = (name: string, value: string): string => `${name}=${value}; Path=/; HttpOnly; SameSite=Lax`
