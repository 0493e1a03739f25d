import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { scimClient, scimError } from '../../../test/support/scim-client.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'
import { revokeScimToken } from './revoke-token.ts'
import { listScimTokens } from './token-queries.ts'

const app = testApp()
const { ask, begin, addToken } = scimClient(app)

beforeEach(async () => {
  await app.reset()
  app.setNow('2026-11-20T10:00:00.000Z')
  await begin()
})

const unauthorized = scimError(401, 'Send a valid SCIM token as Authorization: Bearer <token>.')
const config = '/ServiceProviderConfig'
const tokens = () => listScimTokens(app.db, app.tenant.organizationId)

test('every route of SCIM asks for a token before it looks at anything', async () => {
  const routes = app.app.routes.filter(({ config }) => config?.scheme?.name === 'scim_token')
  const below = app.app.routes.filter(({ url }) => url.startsWith('/scim/'))
  assert.deepEqual(routes, below)
  assert.ok(routes.length >= 25)
  for (const { method, url } of routes) {
    const path = url.slice('/scim/v2'.length).replace(':id', '1')
    const { status, body, headers } = await ask(String(method), path, { token: 'none', payload: '{' })
    // A HEAD has no body.
    const expected = method === 'HEAD' ? undefined : unauthorized
    assert.deepEqual([status, body, headers['www-authenticate']], [401, expected, 'Bearer'], `${method} ${url}`)
  }
})

test('neither an API key, a changed token nor one of another kind lets anyone in', async () => {
  const token = await addToken()
  const forged = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
  const authorizations = [`Bearer ${app.tenant.key}`, `Bearer ${forged}`, `Basic ${token}`, `Bearer ${token} x`, '']
  for (const authorization of authorizations) {
    const { status, body } = await ask('GET', config, { headers: { authorization } })
    assert.deepEqual([status, body], [401, unauthorized], authorization)
  }
  assert.equal((await ask('GET', config, { headers: { authorization: `bearer ${token}` } })).status, 200)
  assert.equal((await app.ask('GET', '/people', { key: token })).status, 401)
})

test('several tokens are active side by side until each is revoked', async () => {
  const [first, second] = [await addToken(), await addToken(app.tenant.organizationId, 'Entra')]
  const [, { id, name } = { id: '', name: '' }] = await tokens()
  assert.equal(name, 'Okta')
  const { organizationId } = app.tenant
  const revocation = { id }
  await transact(app.db, (tx) => revokeScimToken(tx, revocation, systemChange(organizationId, app.now())))
  assert.equal((await ask('GET', config, { token: first })).status, 401)
  assert.equal((await ask('GET', config, { token: second })).status, 200)
  assert.deepEqual(
    (await tokens()).map((token) => token.name),
    ['Okta', 'Entra'],
  )
  await assert.rejects(
    transact(app.db, (tx) => revokeScimToken(tx, revocation, systemChange(organizationId, app.now()))),
    { code: 'not_found' },
  )
  const other = await app.addTenant()
  await assert.rejects(
    transact(app.db, (tx) => revokeScimToken(tx, { id: '1' }, systemChange(other.organizationId, app.now()))),
    { code: 'not_found' },
  )
  const { body } = await app.ask('GET', '/audit_logs?query=description~"SCIM token"')
  assert.deepEqual(
    body.data.map((entry: { description: string }) => entry.description),
    [
      'Revoked the SCIM token "Okta".',
      'Created the SCIM token "Entra".',
      'Created the SCIM token "Okta".',
      'Created the SCIM token "Okta".',
    ],
  )
})

test('the database holds no token in plain text', async () => {
  const token = await addToken()
  const tables = await app.database.connection.executeScript(
    `select query_to_xml('select * from scim_tokens', true, false, '')::text
      || query_to_xml('select * from scim_token_lookups', true, false, '')::text
      || query_to_xml('select * from audit_logs', true, false, '')::text as text`,
  )
  assert.ok(String(tables[0]?.['text']).includes('Okta'))
  assert.ok(!String(tables[0]?.['text']).includes(token.slice('mstr_scim_'.length)))
})

test('the last use is written once a minute', async () => {
  const lastUse = async () => (await tokens())[0]?.last_used_at
  assert.equal(await lastUse(), null)
  await ask('GET', config)
  assert.equal(await lastUse(), '2026-11-20T10:00:00.000Z')
  app.setNow('2026-11-20T10:00:59.000Z')
  await ask('GET', config)
  assert.equal(await lastUse(), '2026-11-20T10:00:00.000Z')
  app.setNow('2026-11-20T10:01:01.000Z')
  await ask('GET', config)
  assert.equal(await lastUse(), '2026-11-20T10:01:01.000Z')
})

test('without the feature every request is a 401 until it is there again', async () => {
  const { organizationId } = app.tenant
  const setTo = (isOn: boolean) =>
    transact(app.db, (tx) => setFeature(tx, { feature: 'scim', isOn }, systemChange(organizationId, app.now())))
  await setTo(false)
  const { status, body } = await ask('GET', '/Users')
  assert.deepEqual([status, body], [401, scimError(401, 'SCIM is not available to the organization.')])
  await setTo(true)
  assert.equal((await ask('GET', '/Users')).status, 200)
})

test('the 1,201st request of a minute is refused, and another token is not', async () => {
  await ask('GET', config)
  await app.db.updateTable('scim_rate_windows').set({ used: 1_199 }).execute()
  assert.equal((await ask('GET', config)).status, 200)
  const { status, body, headers } = await ask('GET', '/Users')
  const detail = 'This token has made too many requests. Wait the number of seconds in Retry-After.'
  assert.deepEqual([status, body], [429, scimError(429, detail)])
  const seconds = Number(headers['retry-after'])
  assert.ok(seconds >= 1 && seconds <= 60, headers['retry-after'])
  assert.equal((await ask('GET', config, { token: await addToken() })).status, 200)
  await app.database.connection.executeScript(
    `update scim_rate_windows set started_at = started_at - interval '1 minute'`,
  )
  assert.equal((await ask('GET', config)).status, 200)
})
