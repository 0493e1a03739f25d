import { randomBytes } from 'node:crypto'
import * as client from 'openid-client'
import { drawNotes, drawSignedOut, type Told } from './draw-parties.ts'
import { type Client, discover } from './identity-provider.ts'
import { keepLatest } from './keep-latest.ts'
import type { Party, PartyAnswer, PartyRequest } from './open-site.ts'

type Flow = { browser: string; nonce: string; verifier: string }

type Parts = { party: Party; app: Client; issuer: string; consoleAddress: string }

const cookie = 'muster_demo_notes'
const maxKept = 1_000

/** The demo's application: it lets in whom its identity provider vouches for, and shows what it was told. */
export async function serveNotesApp({ party, app, issuer, consoleAddress }: Parts): Promise<void> {
  const flows = keepLatest<Flow>(maxKept)
  const sessions = keepLatest<Told>(maxKept)
  const provider = await discover(issuer, app.id, app.secret)
  const place = { address: party.address, consoleAddress }

  async function signIn({ query }: PartyRequest): Promise<PartyAnswer> {
    const [state, browser] = [client.randomState(), randomBytes(16).toString('hex')]
    const flow = { browser, nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
    flows.set(state, flow)
    const hint = query.get('as')
    const { href } = client.buildAuthorizationUrl(provider, {
      ...{ redirect_uri: app.redirectUri, scope: 'openid', state, nonce: flow.nonce },
      ...{ code_challenge: await client.calculatePKCECodeChallenge(flow.verifier), code_challenge_method: 'S256' },
      ...(hint !== null && { login_hint: hint }),
    })
    return { location: href, cookies: [party.cookie(cookie, browser)] }
  }

  async function back({ query, cookie: read }: PartyRequest): Promise<PartyAnswer> {
    const state = query.get('state') ?? ''
    const flow = flows.take(state)
    if (!flow || flow.browser !== read(cookie)) return drawSignedOut(place, 'Start again', 'This sign-in has ended.')
    if (query.has('error'))
      return drawSignedOut(place, 'You did not sign in', 'The sign-in was canceled. Nothing was opened.')
    const tokens = await client.authorizationCodeGrant(provider, new URL(`${app.redirectUri}?${query}`), {
      ...{ expectedState: state, expectedNonce: flow.nonce, pkceCodeVerifier: flow.verifier, idTokenExpected: true },
    })
    // A session of its own: whoever knew the cookie of before does not get in with it.
    const session = randomBytes(16).toString('hex')
    sessions.set(session, toldBy(tokens.claims() ?? {}))
    return { location: party.address, cookies: [party.cookie(cookie, session)] }
  }

  party.serve((request): Promise<PartyAnswer> | PartyAnswer => {
    const route = `${request.method} ${request.path}`
    const session = request.cookie(cookie) ?? ''
    const told = sessions.get(session)
    if (route === 'GET /sign-in') return signIn(request)
    if (route === 'GET /back') return back(request)
    if (route === 'POST /sign-out') {
      sessions.take(session)
      return { location: party.address }
    }
    if (route === 'GET /' && told) return drawNotes(told, place)
    if (route === 'GET /') return drawSignedOut(place, 'Northwind Notes', 'It only opens on laptops in good shape.')
    return { ...drawSignedOut(place, 'There is nothing here', 'Sign in instead.'), status: 404 }
  })
}

function toldBy(claims: Record<string, unknown>): Told {
  const { name, email, acr, amr, device_context: device } = claims
  return {
    ...{ name: String(name ?? ''), email: String(email ?? ''), acr: String(acr ?? 'none'), claims },
    amr: Array.isArray(amr) ? amr.map(String) : [],
    device: Object(device ?? {}) as Told['device'],
  }
}
