import { Agent, fetch, type Headers } from 'undici'
import { answerOfProof } from '../support/answer-of-proof.ts'

type Reply = { status: number; headers: Headers; text: string; url: string }
type Ask = { method?: 'GET' | 'POST'; body?: unknown; headers?: Record<string, string> }

/**
 * A browser over HTTP as far as signing in needs one: it keeps the cookies of one origin, and shows no pages. It sends
 * `always` with each request, and comes from another address of this machine, if one is given.
 */
export function loopbackBrowser(origin: string, always: Record<string, string> = {}, localAddress?: string) {
  const dispatcher = localAddress === undefined ? undefined : new Agent({ localAddress })
  const cookies = new Map<string, string>()

  async function go(address: string, { method = 'GET', body, headers }: Ask = {}): Promise<Reply> {
    const url = new URL(address, origin)
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      ...(dispatcher && { dispatcher }),
      headers: {
        ...always,
        ...(url.origin === origin && { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
        ...(method === 'POST' && { origin, 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (url.origin === origin) for (const line of response.headers.getSetCookie()) keep(line)
    return { status: response.status, headers: response.headers, text: await response.text(), url: url.href }
  }

  function keep(line: string): void {
    const [pair = ''] = line.split(';')
    const [name = '', value = ''] = pair.split('=', 2)
    if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name)
    else cookies.set(name, value)
  }

  /** Follows redirects within the origin; returns every address on the way, and the one that leads elsewhere. */
  async function follow(address: string): Promise<{ reply: Reply; way: string[]; away?: URL }> {
    const way: string[] = []
    for (let at = address; way.length < 12; ) {
      const reply = await go(at)
      way.push(reply.url)
      const location = reply.headers.get('location')
      if (location === null) return { reply, way }
      const target = new URL(location, reply.url)
      if (target.origin !== origin) return { reply, way, away: target }
      at = target.href
    }
    throw new Error(`Redirected again and again from ${address}`)
  }

  /** What the page's script does with the agent at this port: asks for its proof, and hands that over. */
  async function arrive(address: string) {
    const { reply, away } = await follow(address)
    const page = new URL(reply.url).pathname
    const post = (what: string, body: object = {}) => go(`${page}/${what}`, { method: 'POST', body })
    const challenge = async () => (JSON.parse((await post('challenge')).text) as { challenge: string }).challenge

    async function proofFrom(port: number): Promise<string> {
      const headers = { origin, 'content-type': 'application/json', 'sec-fetch-mode': 'cors' }
      const asked = { method: 'POST', headers, body: JSON.stringify({ challenge: await challenge() }) }
      const response = await fetch(`http://127.0.0.1:${port}/v1/attest`, asked)
      if (!response.ok) throw new Error(`The companion answers ${response.status}`)
      return ((await response.json()) as { proof: string }).proof
    }

    return {
      ...{ reply, page, away, post, challenge, proofFrom },
      /** Where the application is answered. */
      finish: async () => follow(finishOf((await go(page)).text) ?? page),
      async prove(port: number): Promise<{ status: number; state?: string }> {
        const { status, text } = await post('proof', { proof: await proofFrom(port) })
        return { status, ...answerOfProof(text) }
      },
    }
  }

  return { go, follow, arrive, cookies }
}

const finishOf = (page: string): string | undefined => /data-(?:finish|ready)="([^"]+)"/.exec(page)?.[1]
