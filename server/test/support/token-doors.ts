import assert from 'node:assert/strict'
import { compactVerify, createLocalJWKSet } from 'jose'
import type { TestApp } from './app.ts'
import { accessTokenOf, type Door, redeem, type Side } from './issued-tokens.ts'
import { doorsOfMachines } from './machine-doors.ts'
import { type Party, signedOut } from './token-party.ts'

const bearer = (text: string) => ({ authorization: `Bearer ${text}` })

/** Every verifier of a token, of the server and of those that trust its keys. */
export function tokenDoors(app: TestApp, address: () => string): Readonly<Record<string, Door>> {
  return { ...doorsOfBearers(app), ...doorsOfMachines(app, address), ...doorsOfSignIns(app), ...doorsOfKeys(app) }
}

/** The status of an answer; no text breaks anything. */
async function statusOf(app: TestApp, { party }: Side, url: string, headers: Record<string, string>) {
  const { statusCode } = await app.app.inject({ url, headers: { host: party.host, ...headers } })
  assert.ok(statusCode < 500, `${url} ${statusCode}`)
  return statusCode
}

function doorsOfBearers(app: TestApp) {
  const opens = (path: (side: Side) => string) => async (side: Side, text: string) =>
    (await statusOf(app, side, path(side), bearer(text))) === 200
  const fromConsole = { origin: 'https://muster.test', 'sec-fetch-site': 'same-origin' }
  return {
    'the API': { takes: ['API key'], isOpened: opens(() => '/whoami') },
    'access tokens for an API key': {
      takes: ['API key'],
      isOpened: async ({ party }, text) => (await accessTokenOf(app, party, text)) !== '',
    },
    'the management of streams': {
      takes: ['API key', 'access token of an API key'],
      isOpened: opens(() => '/ssf_streams'),
    },
    'the poll of a stream': {
      takes: ['poll token', 'access token of an API key'],
      isOpened: opens(({ party }) => `/ssf_streams/${party.stream['id']}/events`),
    },
    'the poll of a stream, beside a key': {
      takes: ['poll token'],
      isOpened: async (side, text) => {
        const headers = { ...bearer(side.party.tenant.key), 'x-service-poll-bearer-token': text }
        return (await statusOf(app, side, `/ssf_streams/${side.party.stream['id']}/events`, headers)) === 200
      },
    },
    SCIM: { takes: ['SCIM token'], isOpened: opens(() => '/scim/v2/Users') },
    'the identity of a person': { takes: ['access token'], isOpened: opens(() => '/signin/oidc/me') },
    'the console': {
      takes: ['console session'],
      isOpened: async ({ party }, text) => {
        const headers = { cookie: `__Host-muster_session=${text}`, ...fromConsole }
        const { status, body } = await app.ask('GET', '/console/api/session', { key: undefined, headers })
        return status === 200 && body.organization.id === party.organizationId
      },
    },
    'a one-time link': {
      takes: ['one-time console link'],
      isOpened: async ({ party }, text) => {
        const asked = { key: undefined, headers: fromConsole, body: { token: text } }
        const { status, body } = await app.ask('POST', '/console/api/session/link', asked)
        return status === 200 && body.email === party.administrator.email
      },
    },
  } satisfies Record<string, Door>
}

function doorsOfSignIns(app: TestApp) {
  const cookie = (name: string, text: string) => ({ cookie: `${name}=${text}` })
  return {
    'the page of a sign-in': {
      takes: ['page cookie'],
      isOpened: async (side, text) => {
        const { path, cookie: name } = side.issued.visit
        return (await statusOf(app, side, `${path}/region`, cookie(name, text))) === 200
      },
    },
    'the proof on a page': {
      takes: ['proof'],
      isOpened: async ({ issued }, text) => (await issued.visit.post('proof', { proof: text })).status === 200,
    },
    'the code on a page': {
      takes: ['bypass code'],
      isOpened: async ({ issued }, text) => {
        // Five wrong ones are the end of it, whatever they are.
        await app.db.deleteFrom('bypass_attempts').execute()
        return (await issued.visit.post('code', { code: text })).status === 303
      },
    },
    'the token endpoint': {
      takes: ['authorization code'],
      isOpened: async ({ party }, text) => (await redeem(app, party, text))['id_token'] !== undefined,
    },
    'the token endpoint, for a client': {
      takes: ['client secret'],
      isOpened: async ({ party }, text) => (await redeem(app, party, 'guessed', text))['error'] === 'invalid_grant',
    },
    'the request of a caller': {
      takes: ['request object'],
      isOpened: async ({ party }, text) => {
        const { rp, callers } = party
        const browser = party.newBrowser()
        const { path, away } = await browser.follow(rp.addressOf({ client_id: callers.caller.clientId, request: text }))
        return away === undefined && /^\/signin\/[0-9a-f]{24}$/.test(path)
      },
    },
    'the request of Microsoft Entra': {
      takes: ['Entra hint'],
      isOpened: async ({ party }, text) => (await party.askByEntra(party.newBrowser(), text)).status === 303,
    },
    'the return from an upstream': {
      takes: ['upstream state'],
      isOpened: async ({ issued: { left } }, text) => {
        const query = new URLSearchParams({ state: text, error: 'access_denied' })
        return (await left.browser.go(`/signin/upstream/return?${query}`)).status === 303
      },
    },
    'signing out': {
      takes: ['ID token'],
      isOpened: async (side, text) => {
        const query = new URLSearchParams({ id_token_hint: text, post_logout_redirect_uri: signedOut })
        return (await statusOf(app, side, `/signin/oidc/session/end?${query}`, {})) === 303
      },
    },
    'the return from signing out at an upstream': {
      takes: ['sign-out state'],
      isOpened: async (side, text) => {
        const query = new URLSearchParams({ state: text })
        return (await statusOf(app, side, `/signin/upstream/signed-out?${query}`, {})) === 303
      },
    },
    'the browser that returns from an upstream': {
      takes: ['upstream cookie'],
      isOpened: async (side, text) => {
        const { left } = side.issued
        const [url, headers] = [`/signin/upstream/return?state=${left.state}`, cookie(left.cookie, text)]
        return (await statusOf(app, side, url, headers)) === 303
      },
    },
  } satisfies Record<string, Door>
}

/** Whoever trusts the published keys of one purpose, without a look at what the token says. */
function doorsOfKeys(app: TestApp) {
  const isSigned =
    (path: (party: Party) => string) =>
    async ({ party }: Side, text: string) => {
      const published = await app.app.inject({ url: path(party), headers: { host: party.host } })
      return compactVerify(text, createLocalJWKSet(published.json())).then(
        () => true,
        () => false,
      )
    }
  return {
    'an application, by the keys': { takes: ['ID token'], isOpened: isSigned(() => '/signin/oidc/jwks') },
    'Entra, by the keys': {
      takes: ['Entra answer'],
      isOpened: isSigned(({ callers }) => `/signin/entra/${callers.entra.id}/jwks`),
    },
    'a receiver, by the keys': { takes: ['signed event'], isOpened: isSigned(() => '/ssf/jwks.json') },
  } satisfies Record<string, Door>
}
