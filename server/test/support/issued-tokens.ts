import { type CheckInAnswer, trustOf } from '@muster/agent/companion/check-in-answer.ts'
import { createScimToken } from '../../src/access/scim/create-token.ts'
import { createBypassCode } from '../../src/sign-in/bypass/bypass-codes.ts'
import { headersOf, signingKeysOf } from '../../src/signals/webhooks/sign-delivery.ts'
import type { TestApp } from './app.ts'
import { openBrowser, password } from './console.ts'
import { readForm } from './entra-stand-in.ts'
import { type Party, signedOut, type Visit } from './token-party.ts'

type Issued = Awaited<ReturnType<typeof issueTokens>>
type TokenKind = keyof Issued['tokens']
export type Side = { party: Party; issued: Issued }
/** What takes a token: whether it lets whoever brings the text in to this organization. */
export type Door = { takes: readonly TokenKind[]; isOpened: (side: Side, text: string) => Promise<boolean> }

/** One of everything that Muster gives out in an organization, and the sign-ins that some of it belongs to. */
export async function issueTokens(app: TestApp, party: Party) {
  const { tenant, stream, companion, callers, rp } = party
  const signedIn = await takeCode(await party.visit())
  const given = await redeem(app, party, signedIn)
  const entraAnswer = readForm((await (await party.visit('ofEntra')).finish()).reply.text).fields['id_token'] ?? ''
  const code = await takeCode(await party.visit())
  const visit = await party.visit()
  const challenge = await visit.challenge()
  const left = await party.leave()
  await ask('POST', '/ssf_streams/verify', { stream_id: stream['id'] })
  const { body: polled } = await ask('GET', `/ssf_streams/${stream['id']}/events`)
  const hours = { hours: 1, reason: 'Lost' }
  const bypass = await party.inTransaction((tx) =>
    createBypassCode(
      tx,
      app.secrets,
      { personId: party.person.id, connectionId: callers.caller.id, ...hours },
      party.change(),
    ),
  )
  const scim = await party.inTransaction((tx) => createScimToken(tx, app.secrets, { name: 'Okta' }, party.change()))
  const console = openBrowser(app)
  await console.ask('POST', '/session/link/accept', { token: await party.consoleLink(), password })
  const hookHeaders = headersOf({
    ...{ messageId: 'msg_1', body: '{}', timestampSeconds: 1, identifier: 'x' },
    keys: { current: signingKeysOf(party.hook['secret'] ?? '') },
  })
  const contact = await companion.checkIn()
  const trust = trustOf(contact.body as unknown as CheckInAnswer)
  const beginning = { agent_version: '1.0.0', port: 15_861, taken_ports: [], wait_seconds: 0 }
  const contactBody = JSON.stringify({ ...beginning, epoch: companion.epoch() })
  const tokens = {
    'API key': tenant.key,
    'access token of an API key': await accessTokenOf(app, party, tenant.key),
    'SCIM token': scim.token,
    'console session': console.cookie?.split('=')[1] ?? '',
    'one-time console link': await party.consoleLink(),
    'enrollment secret': await party.enrollmentSecret(),
    'node key': party.node.nodeKey,
    'link file': party.linkName,
    'companion request': await companion.sign('check_in', contactBody),
    'companion epoch': companion.epoch() ?? '',
    'companion nonce': companion.nonce() ?? '',
    'request object': await party.requestObject(),
    'Entra hint': await party.hint(),
    'client secret': callers.caller.clientSecret ?? '',
    'page cookie': visit.browser.cookies.get(visit.cookie) ?? '',
    challenge,
    proof: await visit.proof(),
    'bypass code': bypass.code,
    'authorization code': code,
    'PKCE verifier': rp.verifier,
    'access token': given['access_token'] ?? '',
    'ID token': given['id_token'] ?? '',
    'Entra answer': entraAnswer,
    'upstream state': left.state,
    'sign-out state': await signOutState(app, party),
    'upstream cookie': left.browser.cookies.get(left.cookie) ?? '',
    'poll token': stream['poll_bearer_token'] ?? '',
    'signed event': String(Object.values(polled.sets)[0]),
    'webhook secret': party.hook['secret'] ?? '',
    'webhook signature': hookHeaders['webhook-signature'] ?? '',
    'webhook authorization': hookHeaders['authorization'] ?? '',
  }
  return { tokens, trust, contactBody, visit, left }

  function ask(method: string, path: string, body?: object) {
    const headers = { host: party.host, 'x-service-poll-bearer-token': stream['poll_bearer_token'] ?? '' }
    return app.ask(method, path, { key: tenant.key, headers, ...(body && { body }) })
  }
}

async function takeCode(visit: Visit): Promise<string> {
  const { away = '' } = await visit.finish()
  return new URL(away).searchParams.get('code') ?? ''
}

/** What an upstream is given to bring back when it has signed someone out. */
async function signOutState(app: TestApp, { host, callers }: Party): Promise<string> {
  const asked = { client_id: callers.application.clientId, post_logout_redirect_uri: signedOut }
  const url = `/signin/oidc/session/end?${new URLSearchParams(asked)}`
  const { headers } = await app.app.inject({ url, headers: { host } })
  return new URL(headers.location ?? '').searchParams.get('state') ?? ''
}

const formed = { 'content-type': 'application/x-www-form-urlencoded' }

/** What the token endpoint answers to a code, or to something else. */
export async function redeem(
  app: TestApp,
  { host, callers: { caller }, rp }: Party,
  code: string,
  secret = caller.clientSecret,
) {
  const basic = Buffer.from(`${caller.clientId}:${secret}`).toString('base64')
  const form = { grant_type: 'authorization_code', code, redirect_uri: rp.redirectUri, code_verifier: rp.verifier }
  const answer = await app.app.inject({
    ...{ method: 'POST', url: '/signin/oidc/token', payload: new URLSearchParams(form).toString() },
    headers: { ...formed, host, authorization: `Basic ${basic}` },
  })
  return answer.json() as Record<string, string>
}

/** An access token for an API key; empty where the key is not that one. */
export async function accessTokenOf(app: TestApp, { host, tenant }: Party, key: string): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: tenant.keyId, client_secret: key }
  const answer = await app.app.inject({
    ...{ method: 'POST', url: '/oauth/token', payload: new URLSearchParams(form).toString() },
    headers: { ...formed, host },
  })
  return (answer.json() as Record<string, string>)['access_token'] ?? ''
}
