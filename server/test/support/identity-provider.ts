import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'
import { request } from 'undici'

type Account = { email: string; emailVerified: boolean; name?: string }

export const oidcClient = { id: 'muster', secret: 'the-secret-of-the-client' }

/** A certified OpenID provider on this machine, with its own pages for signing in, which `walk` goes through. */
export async function startIdentityProvider(redirectUri: string) {
  const accounts = new Map<string, Account>()
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const configuration: Configuration = {
    clients: [{ client_id: oidcClient.id, client_secret: oidcClient.secret, redirect_uris: [redirectUri] }],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['the tests'] },
    findAccount: (_context, id) => {
      const account = accounts.get(id)
      if (!account) return undefined
      return {
        accountId: id,
        claims: () => ({ sub: id, email: account.email, email_verified: account.emailVerified, name: account.name }),
      }
    },
  }
  const provider = new Provider(issuer, configuration)
  const answer = provider.callback()
  server.on('request', (incoming, outgoing) => void answer(incoming, outgoing))

  /** Goes where the browser is sent, signs in as `login` and agrees; returns where it is sent in the end. */
  async function walk(start: string, login: string, jar = new Map<string, string>()): Promise<string> {
    let at = start
    let form: string | undefined
    for (let step = 0; step < 20; step += 1) {
      if (!at.startsWith(issuer)) return at
      const page = await request(at, {
        method: form === undefined ? 'GET' : 'POST',
        headers: {
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(form !== undefined && { body: form }),
      })
      for (const cookie of [page.headers['set-cookie'] ?? []].flat()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        jar.set(name, value)
      }
      const text = await page.body.text()
      form = undefined
      const { location } = page.headers
      if (typeof location === 'string') {
        at = new URL(location, at).href
        continue
      }
      const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1]
      const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1]
      if (action === undefined || prompt === undefined)
        throw new Error(`The provider answered ${page.statusCode}: ${text}`)
      at = new URL(action, at).href
      form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) }).toString()
    }
    throw new Error('The provider leads nowhere')
  }

  return {
    issuer,
    accounts,
    walk,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
