import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { html } from '../../http/page/html.ts'
import { pageHeaders } from '../../http/page/page-headers.ts'
import { assetAt, drawDocument } from './draw-document.ts'

export type PartyRequest = {
  method: string
  /** Below the party's own; `/` is the party itself. */
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
  /** Another origin that the page asks. */
  asks?: string
}

type Answer = (request: PartyRequest) => Promise<PartyAnswer> | PartyAnswer

/** One of the demo's own services: an address below the one that is printed. */
export type Party = {
  address: string
  /** Until it is called, every request is answered with 503. */
  serve: (answer: Answer) => void
  /** A cookie of this party alone, which ends with the browser. */
  cookie: (name: string, value: string) => string
}

export type Site = ReturnType<typeof openSite>

const maxFormBytes = 16 * 1024
const root = '/demo/'

/**
 * The demo's own services at the origin of its server, below a path that only the printed address knows: that one address
 * is all that a browser needs. Who comes by the name `localhost` is sent to the origin.
 */
export function openSite(origin: string, onError: (error: unknown) => void) {
  const key = randomBytes(16).toString('base64url')
  const answers = new Map<string, Answer>()

  /** The start page has no name: it is the printed address itself. */
  function party(name: string): Party {
    const path = [root + key, name].filter(Boolean).join('/')
    answers.set(name, () => ({ status: 503, text: 'Starting' }))
    return {
      address: origin + path,
      serve: (answer) => answers.set(name, answer),
      cookie: (cookie, value) => `${cookie}=${value}; Path=${path}; HttpOnly; SameSite=Lax`,
    }
  }

  /** Who is asked, and for what below its own path; undefined for whoever does not know the key. */
  function find(path: string): { work: Answer | undefined; below: string } | undefined {
    const [given = '', name = '', ...rest] = path.slice(root.length).split('/')
    if (!isEqual(given, key)) return undefined
    const isNamed = name !== '' && answers.has(name)
    const below = isNamed ? rest : [name, ...rest].filter((part) => part !== '')
    return { work: answers.get(isNamed ? name : ''), below: `/${below.join('/')}` }
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(origin, request)
    if (refusal) return send(response, refusal)
    const url = new URL(request.url ?? '/', origin)
    const asset = assetAt(url.pathname)
    if (asset) return send(response, asset)
    const found = find(url.pathname)
    if (!found?.work) return send(response, unknown())
    const { method = '', headers } = request
    const asked = {
      ...{ method, path: found.below, query: url.searchParams, authorization: headers.authorization ?? '' },
      cookie: (name: string) => cookieIn(headers.cookie ?? '', name),
      form: () => readForm(request),
    }
    send(response, await found.work(asked))
  }

  function answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (!request.url?.startsWith(root)) return false
    respond(request, response).catch((error: unknown) => {
      onError(error)
      send(response, { status: 500, text: 'Something broke in the demo. Its log says what.' })
    })
    return true
  }

  return { party, answer }
}

const isEqual = (given: string, key: string): boolean =>
  given.length === key.length && timingSafeEqual(Buffer.from(given), Buffer.from(key))

const unknown = (): PartyAnswer =>
  drawDocument({
    ...{ party: 'Muster demo', title: 'Muster demo', status: 404, hasMark: true },
    body: html`<h1>Open the address in the terminal</h1>
<p class="lead">muster demo has printed it. It opens the demo in this browser.</p>`,
  })

/** A name that resolves to this machine brings a page of another site here (DNS rebinding), and so does its form. */
function refusalOf(origin: string, { method, url = '/', headers }: IncomingMessage): PartyAnswer | undefined {
  const { host, port } = new URL(origin)
  if (headers.host === `localhost:${port}` && method === 'GET') return { status: 302, location: origin + url }
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

function send(response: ServerResponse, answer: PartyAnswer): void {
  if (response.headersSent) return
  const { location, cookies = [], text = '', type = 'text/plain; charset=utf-8', asks = '' } = answer
  const ours = "'self'"
  const headers = pageHeaders({
    ...{ 'script-src': ours, 'style-src': ours, 'font-src': ours, 'img-src': ours, 'connect-src': `${ours} ${asks}` },
    forms: ours,
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
