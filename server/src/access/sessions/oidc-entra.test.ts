import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { addAdmin } from '../../../test/support/console.ts'
import { json, startHostileProvider } from '../../../test/support/hostile-provider.ts'
import { sourceAt } from '../../../test/support/source-at.ts'
import { type GuardedFetch, guardedFetch } from '../../base/outbound/guarded-fetch.ts'
import { openOidc } from './oidc-provider.ts'
import { signInByIdentity } from './sign-in-by-identity.ts'

const tenant = 'https://login.microsoftonline.com/5f2c1b7a-9d34-4e0b-8c61-2a7e93d0f415/v2.0'
const elsewhere = 'https://login.microsoftonline.com/0d9c7a55-1f3e-4a86-b1c2-6e80d4f7a913/v2.0'
const email = 'maya@acme.example'

const provider = await startHostileProvider()
after(() => provider.stop())
const app = testApp()

/** Microsoft Entra is on this machine in a test: an address there becomes one here. */
const call: GuardedFetch = (url, options) => {
  const { pathname } = new URL(url)
  return guardedFetch({ trustedOrigin: provider.issuer })(`${provider.issuer}${pathname}`, options)
}

beforeEach(async () => {
  app.setNow(new Date(Math.floor(performance.timeOrigin + performance.now())).toISOString())
  await app.reset()
  provider.reset()
  provider.endpoints.set('/me', json({ sub: 'AbC-1', name: 'Maya' }))
})

/** Serves the metadata of an issuer: where all tenants are meant, `{tenantid}` stands in it. */
function publish(configured: string, issuer: string): void {
  const endpoint = (path: string) => `https://login.microsoftonline.com${path}`
  const metadata = {
    ...{ ...provider.metadata, issuer, authorization_response_iss_parameter_supported: false },
    authorization_endpoint: endpoint('/authorize'),
    token_endpoint: endpoint('/token'),
    jwks_uri: endpoint('/jwks'),
    userinfo_endpoint: 'https://graph.microsoft.com/me',
  }
  provider.endpoints.set(`${new URL(configured).pathname}/.well-known/openid-configuration`, json(metadata))
}

/** Signs in at Entra, which says this of the person; resolves to whether there is a session, and whether the address is the reason. */
async function signIn(claims: Record<string, unknown>, configured = tenant, published = configured) {
  publish(configured, published)
  const settings = { issuer: configured, clientId: 'muster', clientSecret: 'secret', name: 'Entra' }
  const redirectUri = `${baseUrl}/console/api/session/oidc/callback`
  const oidc = openOidc(settings, app.secrets, redirectUri, call)
  const now = app.now()
  const { url, sealedFlow } = await oidc.begin({ isFresh: false, now })
  const { nonce, state } = Object.fromEntries(new URL(url).searchParams)
  const token = await provider.sign({ iss: tenant, sub: 'AbC-1', tid: tenant.split('/')[3], nonce, ...claims })
  provider.endpoints.set('/token', json({ access_token: 'at', token_type: 'Bearer', expires_in: 60, id_token: token }))
  const { identity } = await oidc.finish({ sealedFlow, query: `code=c&state=${state}`, now })
  const browser = {
    source: sourceAt('192.0.2.1'),
    userAgent: 'test',
    sessionSecret: undefined,
    deviceCookie: undefined,
  }
  const secret = await signInByIdentity(app.db, app.secrets, { identity, provider: 'Entra', ...browser, now })
  return { isSignedIn: secret !== undefined, isUnverified: identity.isUnverified }
}

const refused = { isSignedIn: false, isUnverified: true }

test('an administrator signs in through Entra with xms_edov, and from then on by the subject alone', async () => {
  await addAdmin(app, { email })
  assert.deepEqual(await signIn({ email }), refused)
  assert.deepEqual(await signIn({ email, xms_edov: false }), refused)
  assert.deepEqual(await signIn({ email, xms_edov: true }), { isSignedIn: true, isUnverified: false })
  const bound = await app.db.selectFrom('admin_identities').select(['issuer', 'subject']).execute()
  assert.deepEqual(bound, [{ issuer: tenant, subject: 'AbC-1' }])
  assert.equal((await signIn({ email: 'another@acme.example' })).isSignedIn, true)
})

test('where the settings name all tenants, xms_edov of one is worth nothing', async () => {
  await addAdmin(app, { email })
  const common = 'https://login.microsoftonline.com/common/v2.0'
  const all = 'https://login.microsoftonline.com/{tenantid}/v2.0'
  const claims = { email, xms_edov: true }
  assert.deepEqual(await signIn(claims, common, all), refused)
  assert.deepEqual(await signIn({ ...claims, iss: elsewhere, tid: elsewhere.split('/')[3] }, common, all), refused)
  await assert.rejects(signIn({ ...claims, iss: elsewhere }), { reason: 'refused' })
  assert.deepEqual(await app.db.selectFrom('admin_identities').selectAll().execute(), [])
})
