import { request } from 'undici'
import { loopbackBrowser } from '../loopback-browser.ts'

type Provider = { issuer: string; walk(start: string, login: string, jar?: Map<string, string>): Promise<string> }
type Parts = { musterOrigin: string; provider: Provider; login: string; port: number }
type Form = Record<string, string>

/** Where a browser stops: at a page of the application, or at one of Muster that lets nobody through. */
export type Stop =
  | { at: 'application'; status: number; text: string; url: string }
  | { at: 'muster'; state: string; cancel(): Promise<Stop> }

/**
 * A browser without a screen that an application sends through Muster to an upstream, where `login` signs in, and back. The
 * companion at `port` proves the computer.
 */
export function applicationBrowser({ musterOrigin, provider, login, port }: Parts) {
  const muster = loopbackBrowser(musterOrigin)
  const [ofProvider, ofApplication] = [new Map<string, string>(), new Map<string, string>()]

  async function ask(url: string, form?: Form) {
    const response = await request(url, {
      headers: {
        cookie: [...ofApplication].map((pair) => pair.join('=')).join('; '),
        accept: 'text/html',
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { method: 'POST', body: new URLSearchParams(form).toString() }),
    })
    for (const line of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) ofApplication.delete(name)
      else ofApplication.set(name, value)
    }
    const { location } = response.headers
    return { status: response.statusCode, text: await response.body.text(), location }
  }

  /** Goes where it is sent, until it is sent no further. */
  async function open(address: string, form?: Form): Promise<Stop> {
    let [at, sent] = [address, form]
    for (let hops = 0; hops < 20; hops += 1) {
      if (at.startsWith(provider.issuer)) at = await provider.walk(at, login, ofProvider)
      else if (at.startsWith(musterOrigin)) {
        const next = await pass(at)
        if (typeof next !== 'string') return next
        at = next
      } else {
        const { status, text, location } = await ask(at, sent)
        sent = undefined
        if (typeof location !== 'string') return { at: 'application', status, text, url: at }
        at = new URL(location, at).href
      }
    }
    throw new Error(`Redirected again and again from ${address}`)
  }

  async function pass(address: string): Promise<string | Stop> {
    const visit = await muster.arrive(address)
    if (visit.away) return visit.away.href
    if (!/^\/signin\/[0-9a-f]{24}$/.test(visit.page)) throw new Error(`${visit.reply.status} at ${visit.page}`)
    const { state = 'unknown' } = await visit.prove(port)
    if (state === 'passed') return (await visit.finish()).away?.href ?? visit.page
    const leave = async () => {
      const { headers } = await visit.post('cancel')
      return (await muster.follow(headers.get('location') ?? '')).away?.href ?? ''
    }
    return { at: 'muster', state, cancel: async () => open(await leave()) }
  }

  return { open, cookies: ofApplication }
}
