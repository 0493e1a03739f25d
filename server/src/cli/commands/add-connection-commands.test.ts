import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { Check } from 'typebox/value'
import { testApp } from '../../../test/support/app.ts'
import { startHostileProvider } from '../../../test/support/hostile-provider.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { relyingParty } from '../../../test/support/sign-in-browser.ts'
import { findConnectionById, secretPlace } from '../../sign-in/connections/connection-queries.ts'
import { newConnectionCommands } from './add-connection-commands.ts'

const caller = await startHostileProvider()
after(() => caller.stop())
const trial = testApp({ env: { MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1' } })
const run = commandsOn(trial, '2026-11-20T10:00:00.000Z')
const tenantId = '5f2c1b7a-9d34-4e0b-8c61-2a7e93d0f415'
const entra = { name: 'Microsoft 365', tenantIds: [tenantId], appId: 'c0a81d52-6e4f-4b9a-a3d7-18f5e2b96c04' }
const issuer = 'https://muster.test/signin/oidc'
const discovery = `${issuer}/.well-known/openid-configuration`

beforeEach(() => trial.reset())

const keySetOf = (...keys: object[]): string => JSON.stringify({ keys })
const redirectUris = ['https://payroll.example/callback', 'https://payroll.example/other']
const secondStep = async () => ({
  ...{ name: 'Payroll', redirectUris },
  requestKeys: keySetOf((await relyingParty()).jwk),
})

async function latest() {
  const { organizationId } = trial.tenant
  const { id } = await trial.db
    .selectFrom('signin_connections')
    .select('id')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  const row = await findConnectionById(trial.db, organizationId, id)
  assert.ok(row)
  const place = secretPlace(organizationId, row.client_id)
  const secret = row.sealed_client_secret && trial.secrets.unseal(row.sealed_client_secret, place).toString('utf8')
  return { ...row, secret }
}

test('a second step is added, and all that its caller is set up with is printed', async () => {
  const { out, err } = await run(newConnectionCommands.secondStep, await secondStep())
  const { id, kind, client_id: clientId, secret } = await latest()
  assert.equal(kind, 'second_step')
  assert.deepEqual(out.trimEnd().split('\n'), [
    `Connection:         ${id}`,
    'Mode:               observe',
    `Issuer:             ${issuer}`,
    `Discovery endpoint: ${discovery}`,
    `Client ID:          ${clientId}`,
    `Client secret:      ${secret}`,
    'Redirect URI:       https://payroll.example/callback',
    'Redirect URI:       https://payroll.example/other',
    'Request algorithm:  RS256',
    `Each request:       iss = the client ID, aud = ${issuer}, iat or exp, login_hint, PKCE S256`,
  ])
  assert.match(err, /not shown again/)
  assert.match(err, new RegExp(`It observes: it refuses no device.* muster connections enforce ${id}$`, 'm'))
})

test('the same is given as JSON, without a line', async () => {
  const { out } = await run(newConnectionCommands.secondStep, {
    ...(await secondStep()),
    isPublic: true,
    json: 'payroll.json',
  })
  const { id, client_id: clientId } = await latest()
  assert.deepEqual(JSON.parse(out), {
    ...{ id, kind: 'second_step', name: 'Payroll', mode: 'observe', issuer, discovery_url: discovery },
    ...{ client_id: clientId, client_secret: null, redirect_uris: redirectUris },
    requests: {
      ...{ algorithm: 'RS256', claims: ['iss', 'aud', 'iat or exp', 'login_hint'] },
      ...{ audience: issuer, code_challenge_method: 'S256' },
    },
    ...{ requires_pkce: true, post_logout_redirect_uris: [] },
  })
})

test('a key set that requests cannot be signed with is refused, and nothing is added', async () => {
  const asked = await secondStep()
  const { jwk } = await relyingParty()
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  for (const requestKeys of ['no JSON', '{}', keySetOf(), keySetOf(jwk, other), keySetOf({ kty: 'oct', k: 'AAAA' })]) {
    const refused = { exitCode: 2, message: /JWK set of 1 to 20 public keys of one algorithm/ }
    await assert.rejects(run(newConnectionCommands.secondStep, { ...asked, requestKeys }), refused)
  }
  const { requestKeys: _, ...without } = asked
  assert.equal(Check(newConnectionCommands.secondStep.args, without), false)
  assert.deepEqual(await trial.db.selectFrom('signin_connections').select('id').execute(), [])
})

test('the keys of a caller are read where it publishes them', async () => {
  caller.reset()
  const requestKeys = `${caller.issuer}/jwks`
  const { out } = await run(newConnectionCommands.secondStep, { ...(await secondStep()), requestKeys })
  assert.match(out, /^Request algorithm: +RS256$/m)
  const { request_keys: keys, request_keys_url: url } = await latest()
  assert.deepEqual([keys?.map(({ kid }) => kid), url], [['one'], requestKeys])
  caller.endpoints.clear()
  const refused = { code: 'invalid' }
  await assert.rejects(run(newConnectionCommands.secondStep, { ...(await secondStep()), requestKeys }), refused)
})

test('an application needs an upstream, and its requests need no signature', async () => {
  const asked = { name: 'Wiki', redirectUris, isPublic: true }
  assert.equal(Check(newConnectionCommands.application.args, asked), false)
  const { id: upstreamId } = await trial.db
    .insertInto('signin_upstreams')
    .values({
      ...{ organization_id: trial.tenant.organizationId, name: 'Example ID', provider: 'oidc' },
      ...{ issuer: 'https://id.example', client_id: 'muster', sealed_client_secret: Buffer.from('sealed') },
      ...{ authorization_endpoint: 'https://id.example/auth', email_domains: [], created_at: trial.now() },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { out, err } = await run(newConnectionCommands.application, { ...asked, upstreamId })
  assert.match(out, /^Client secret: +none: a public client$/m)
  assert.match(out, /^Request algorithm: +none: requests need no signature$/m)
  assert.match(out, /^Each request: +PKCE S256$/m)
  assert.match(err, /^It observes/)
  assert.equal((await latest()).upstream_id, upstreamId)
  const postLogoutRedirectUris = ['https://payroll.example/signed-out']
  const without = { ...asked, isPublic: false, isWithoutPkce: true, postLogoutRedirectUris, upstreamId }
  const { out: said } = await run(newConnectionCommands.application, without)
  assert.match(said, /^Each request: +PKCE S256, or a nonce$/m)
  assert.match(said, /^Post-logout redirect URI: +https:\/\/payroll\.example\/signed-out$/m)
  const { requires_pkce: requiresPkce, post_logout_redirect_uris: kept } = await latest()
  assert.deepEqual([requiresPkce, kept], [false, postLogoutRedirectUris])
  await assert.rejects(run(newConnectionCommands.application, { ...without, isPublic: true }), { code: 'invalid' })
})

test('a connection of Microsoft Entra is added with all that Entra is set up with', async () => {
  const { out, err } = await run(newConnectionCommands.entra, entra)
  const { id, client_id: clientId } = await latest()
  const of = `https://muster.test/signin/entra/${id}`
  assert.deepEqual(out.trimEnd().split('\n'), [
    `Connection:         ${id}`,
    'Mode:               observe',
    `Issuer:             ${of}`,
    `Discovery endpoint: ${of}/.well-known/openid-configuration`,
    `Client ID:          ${clientId}`,
    `Reply URL:          ${of}/authorize`,
  ])
  assert.match(err, /app registration/)
  await assert.rejects(run(newConnectionCommands.entra, { ...entra, appId: 'mine' }), { code: 'invalid' })
})

test('a new connection observes unless it is told to enforce, and says so in its answer and in the audit log', async () => {
  const audited = async () => {
    const said = trial.db.selectFrom('audit_logs').select('description').orderBy('id', 'desc')
    return (await said.executeTakeFirstOrThrow()).description
  }
  await run(newConnectionCommands.secondStep, await secondStep())
  assert.equal((await latest()).mode, 'observe')
  assert.match(await audited(), /^Added the sign-in connection "Payroll", .*\. It observes\.$/)
  await run(newConnectionCommands.entra, entra)
  assert.equal((await latest()).mode, 'observe')
  assert.match(await audited(), /It observes\.$/)

  const told = await run(newConnectionCommands.secondStep, { ...(await secondStep()), isEnforcing: true })
  assert.equal((await latest()).mode, 'enforce')
  assert.match(told.out, /^Mode: +enforce$/m)
  assert.match(told.err, /It enforces from the first sign-in/)
  assert.match(await audited(), /It enforces\.$/)
  await run(newConnectionCommands.entra, { ...entra, isEnforcing: true })
  assert.equal((await latest()).mode, 'enforce')
})
