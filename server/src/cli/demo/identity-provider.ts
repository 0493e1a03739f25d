import { createHash, randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as client from 'openid-client'
import type { DemoPerson } from './demo-people.ts'
import { drawChoice, drawNotice } from './draw-parties.ts'
import { keepLatest } from './keep-latest.ts'
import type { Party, PartyAnswer, PartyRequest } from './open-site.ts'

/** The demo application, as its identity provider knows it. */
export type Client = { id: string; secret: string; redirectUri: string }

type AppRequest = { redirectUri: string; state: string; nonce: string; codeChallenge: string }

/** A sign-in that has gone to Muster for its second step. */
type Flow = { app: AppRequest; person: DemoPerson; browser: string; nonce: string; verifier: string }

/** What a code of ours stands for. */
type Grant = { app: AppRequest; person: DemoPerson; device: Record<string, unknown>; endsAtMs: number }

type Parts = {
  party: Party
  app: Client
  people: readonly DemoPerson[]
  /** Muster as an OpenID provider, with which this is registered. */
  muster: { issuer: string; clientId: string; clientSecret: string }
  keys: SigningKeys
  /** Before the browser is sent to Muster. */
  prepare: (person: DemoPerson) => Promise<void>
}

export type SigningKeys = Awaited<ReturnType<typeof newSigningKeys>>

const cookie = 'muster_demo_sign_in'
const codeMs = 60_000
const maxKept = 1_000

export async function newSigningKeys() {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const kid = randomBytes(8).toString('hex')
  const { kty, crv = '', x = '', y = '' } = await exportJWK(publicKey)
  return { privateKey, kid, jwk: { kty: String(kty), crv, x, y, kid, alg: 'ES256', use: 'sig' } }
}

/**
 * The demo's identity provider: an OpenID provider that takes everyone at their word and asks Muster about the device as
 * its second step, in a signed request object (RFC 9101). Muster's answer goes into its own ID token.
 */
export async function serveIdentityProvider({ party, app, people, muster, keys, prepare }: Parts): Promise<void> {
  const { address } = party
  const flows = keepLatest<Flow>(maxKept)
  const grants = keepLatest<Grant>(maxKept)
  const provider = await discover(muster.issuer, muster.clientId, muster.clientSecret)

  async function authorize({ query, cookie: read }: PartyRequest): Promise<PartyAnswer> {
    const asked = readAppRequest(query, app)
    if (!asked) return drawNotice('This sign-in cannot start', 'Open Northwind Notes again.', 400)
    const person = people.find(({ slug }) => slug === query.get('login_hint'))
    if (!person) return drawChoice(people, query)
    await prepare(person)
    const browser = read(cookie) ?? randomBytes(16).toString('hex')
    const flow = { app: asked, person, browser, nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
    const state = client.randomState()
    flows.set(state, flow)
    return { location: await askMuster(state, flow), cookies: [party.cookie(cookie, browser)] }
  }

  async function askMuster(state: string, { person, nonce, verifier }: Flow): Promise<string> {
    const request = {
      ...{ redirect_uri: `${address}/device`, scope: 'openid', state, nonce, login_hint: person.email },
      ...{ code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    }
    const { href } = await client.buildAuthorizationUrlWithJAR(provider, request, {
      key: keys.privateKey,
      kid: keys.kid,
    })
    return href
  }

  /** The browser is back from Muster: with a code, or with why not. */
  async function backFromMuster({ query, cookie: read }: PartyRequest): Promise<PartyAnswer> {
    const state = query.get('state') ?? ''
    const flow = flows.take(state)
    if (!flow || flow.browser !== read(cookie)) {
      return drawNotice('This sign-in has ended', 'Open Northwind Notes again.', 400)
    }
    const { app: asked, person, nonce, verifier } = flow
    const back = new URL(asked.redirectUri)
    back.searchParams.set('state', asked.state)
    if (query.has('error')) {
      back.searchParams.set('error', query.get('error') ?? 'access_denied')
      return { location: back.href }
    }
    const tokens = await client.authorizationCodeGrant(provider, new URL(`${address}/device?${query}`), {
      ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
    })
    const { acr, amr, device_context }: Record<string, unknown> = { ...tokens.claims() }
    const code = randomBytes(24).toString('base64url')
    grants.set(code, { app: asked, person, device: { acr, amr, device_context }, endsAtMs: Date.now() + codeMs })
    back.searchParams.set('code', code)
    return { location: back.href }
  }

  async function token(request: PartyRequest): Promise<PartyAnswer> {
    const form = await request.form()
    const grant = grants.take(form.get('code') ?? '')
    const isClient = request.authorization === `Basic ${Buffer.from(`${app.id}:${app.secret}`).toString('base64')}`
    const hashed = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isMeant = grant && grant.endsAtMs > Date.now() && grant.app.codeChallenge === hashed
    if (!isClient || !isMeant || form.get('redirect_uri') !== grant.app.redirectUri) {
      return { ...json({ error: isClient ? 'invalid_grant' : 'invalid_client' }), status: isClient ? 400 : 401 }
    }
    const { person, device, app: asked } = grant
    const said = { ...device, name: person.name, email: person.email, nonce: asked.nonce }
    const idToken = await new SignJWT(said)
      .setProtectedHeader({ alg: 'ES256', kid: keys.kid })
      .setIssuer(address)
      .setSubject(person.slug)
      .setAudience(app.id)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(keys.privateKey)
    return json({
      token_type: 'Bearer',
      access_token: randomBytes(16).toString('hex'),
      expires_in: 60,
      id_token: idToken,
    })
  }

  const metadata = {
    issuer: address,
    ...{
      authorization_endpoint: `${address}/authorize`,
      token_endpoint: `${address}/token`,
      jwks_uri: `${address}/jwks`,
    },
    ...{ response_types_supported: ['code'], subject_types_supported: ['public'] },
    id_token_signing_alg_values_supported: ['ES256'],
    code_challenge_methods_supported: ['S256'],
  }
  party.serve((request): Promise<PartyAnswer> | PartyAnswer => {
    const route = `${request.method} ${request.path}`
    if (route === 'GET /.well-known/openid-configuration') return json(metadata)
    if (route === 'GET /jwks') return json({ keys: [keys.jwk] })
    if (route === 'GET /authorize') return authorize(request)
    if (route === 'GET /device') return backFromMuster(request)
    if (route === 'POST /token') return token(request)
    return drawNotice('There is nothing here', 'Open Northwind Notes again.', 404)
  })
}

/** The provider at that address on this machine, which answers in plain HTTP. */
export const discover = (issuer: string, clientId: string, secret: string): Promise<client.Configuration> =>
  client.discovery(new URL(issuer), clientId, secret, client.ClientSecretBasic(secret), {
    timeout: 10,
    execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
  })

function readAppRequest(query: URLSearchParams, app: Client): AppRequest | undefined {
  const { client_id, redirect_uri, response_type, state, nonce, code_challenge } = Object.fromEntries(query)
  const isOurs = client_id === app.id && redirect_uri === app.redirectUri && response_type === 'code'
  if (!isOurs || !state || !nonce || !code_challenge || query.get('code_challenge_method') !== 'S256') return undefined
  return { redirectUri: redirect_uri, state, nonce, codeChallenge: code_challenge }
}

const json = (value: unknown): PartyAnswer => ({ type: 'application/json', text: JSON.stringify(value) })
