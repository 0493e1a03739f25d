import type { Dispatcher } from 'undici'
import type { SignInSteps } from './sign-in-steps.ts'

export type WebAnswer = { status: number; location: string | undefined; text: string }

export type BrowserParts = {
  dispatcher: Dispatcher
  /** Of Muster; requests go nowhere else. */
  origin: string
  /** The address that a trusted proxy in front of the server would see. */
  from?: string | undefined
  userAgent: string
  steps: SignInSteps
}

const maxHops = 12
const timeoutMs = 30_000

/** A browser as far as signing in needs one: a private window, which keeps cookies of one sign-in. */
export function webBrowser({ dispatcher, origin, from, userAgent, steps }: BrowserParts) {
  const cookies = new Map<string, string>()

  async function send(path: string, body?: object): Promise<WebAnswer> {
    const isPost = body !== undefined
    const headers = {
      cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
      'user-agent': userAgent,
      ...(from !== undefined && { 'x-forwarded-for': from }),
      ...(isPost && { origin, 'content-type': 'application/json' }),
    }
    const answer = await dispatcher.request({
      ...{ origin, path, method: isPost ? 'POST' : 'GET', headers, headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
      ...(isPost && { body: JSON.stringify(body) }),
    })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) keepCookie(line)
    const { location } = answer.headers
    return { status: answer.statusCode, location: [location].flat()[0], text: await answer.body.text() }
  }

  function keepCookie(line: string): void {
    const [pair = ''] = line.split(';')
    const at = pair.indexOf('=')
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
    if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name)
    else cookies.set(name, value)
  }

  const get = (path: string): Promise<WebAnswer> => steps.time(stepOf(path), () => send(path))
  const post = (path: string, body: object = {}): Promise<WebAnswer> => steps.time(stepOf(path), () => send(path, body))

  /** Goes along redirects of this origin. Returns the last answer with its path, or the address that leads elsewhere. */
  async function follow(start: string): Promise<{ path: string; answer: WebAnswer } | { away: URL }> {
    let path = start
    for (let hops = 0; hops < maxHops; hops += 1) {
      const answer = await get(path)
      if (answer.location === undefined) return { path, answer }
      const target = new URL(answer.location, origin)
      if (target.origin !== origin) return { away: target }
      path = target.pathname + target.search
    }
    throw new Error(`more than ${maxHops} redirects from ${new URL(start, origin).pathname}`)
  }

  return { get, post, follow }
}

/** The last part of a path that says what it does. */
function stepOf(path: string): string {
  const { pathname } = new URL(path, 'http://step')
  if (/\/oidc\/auth$/.test(pathname)) return 'authorize'
  if (/\/oidc\/auth\/[^/]+$/.test(pathname)) return 'answer'
  if (/\/interaction\/[^/]+$/.test(pathname)) return 'arrive'
  if (/\/signin\/[0-9a-f]{24}$/.test(pathname)) return 'page'
  return pathname.split('/').at(-1) ?? pathname
}
