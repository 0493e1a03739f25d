import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { createScimToken } from '../../src/access/scim/create-token.ts'
import { systemActor, systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import { createOrganization } from '../../src/inventory/organizations/create-organization.ts'
import { endOldAddresses } from '../../src/inventory/organizations/end-old-addresses.ts'
import { setBaseUrl } from '../../src/inventory/organizations/set-base-url.ts'
import { queueComplianceChanges } from '../../src/signals/streams/queue-signals.ts'
import { baseUrl, type Tenant, testApp } from '../support/app.ts'
import { makeIn } from '../support/make.ts'

const app = testApp()
const withPaths = testApp({ env: { MUSTER_SSF_PATH_ISSUERS: 'true' } })
const make = makeIn(app)

/** What a receiver does that was set up as docs/connect-a-receiver.md says. */
async function verified(of: typeof app, token: string, { issuer, audience }: { issuer: string; audience: string }) {
  const { host, pathname } = new URL(issuer)
  const path = pathname === '/' ? '/ssf/jwks.json' : `${pathname}/jwks.json`
  const { body } = await of.ask('GET', path, { key: undefined, headers: { host } })
  const rules = { issuer, audience, typ: 'secevent+jwt', currentDate: new Date(of.now()) }
  return jwtVerify(token, createLocalJWKSet(body), rules)
}

async function pollOne(of: typeof app, stream: { stream_id: string; poll_bearer_token: string }, key: string) {
  const headers = { 'x-service-poll-bearer-token': stream.poll_bearer_token }
  const { body } = await of.ask('GET', `/ssf_streams/${stream.stream_id}/events`, { key, headers })
  return String(Object.values(body.sets)[0])
}

async function addWithoutAddress(of: typeof app): Promise<Tenant> {
  const tenant = await of.addTenant()
  await of.db.updateTable('organizations').set({ base_url: null }).where('id', '=', tenant.organizationId).execute()
  return tenant
}

test('no organization can sign what the receiver of another takes for its own', async () => {
  const audience = 'https://acme.okta.com'
  const victim = await app.ask('POST', '/ssf_streams', { body: { name: 'Okta', aud: audience, spec_version: 'draft' } })
  assert.equal(victim.body.iss, baseUrl)
  const globex = await app.addTenant()
  const body = { name: 'Forger', aud: audience, spec_version: 'draft' }
  const { body: stream } = await app.ask('POST', '/ssf_streams', { key: globex.key, body })
  const person = await make.person(globex.organizationId, { email: 'ana@acme.example' })
  const device = await make.device(globex.organizationId, { registered_owner_id: person.id })
  const change = { deviceId: device.id, previous: 'compliant', current: 'not-compliant' } as const
  await transact(app.db, (tx) =>
    queueComplianceChanges(tx, globex.organizationId, [
      { ...change, initiator: 'policy', txn: 'T', occurredAt: app.now() },
    ]),
  )
  const forged = await pollOne(app, stream, globex.key)
  assert.match(JSON.stringify(decodeJwt(forged)), /ana@acme\.example/)
  await assert.rejects(verified(app, forged, { issuer: baseUrl, audience }), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
  const own = `https://organization-${globex.organizationId}.muster.test`
  assert.equal(stream.iss, own)
  const { payload } = await verified(app, forged, { issuer: own, audience })
  assert.equal(payload.iss, own)
})

test('each address has the metadata and the keys of its organization; any other host has those of the first', async () => {
  const globex = await app.addTenant()
  const own = `https://organization-${globex.organizationId}.muster.test`
  const configuration = async (host: string) =>
    (await app.ask('GET', '/.well-known/ssf-configuration', { key: undefined, headers: { host } })).body
  const keys = async (host: string) =>
    (await app.ask('GET', '/ssf/jwks.json', { key: undefined, headers: { host } })).body.keys
  const { issuer, jwks_uri, configuration_endpoint } = await configuration(new URL(own).host)
  assert.deepEqual([issuer, jwks_uri, configuration_endpoint], [own, `${own}/ssf/jwks.json`, `${own}/ssf_streams`])
  for (const host of [new URL(baseUrl).host, '127.0.0.1:8080', 'LOCALHOST']) {
    assert.equal((await configuration(host)).issuer, baseUrl)
    assert.deepEqual(await keys(host), await keys(new URL(baseUrl).host))
  }
  assert.deepEqual(await keys(`${new URL(own).host.toUpperCase()}:443`), await keys(new URL(own).host))
  assert.notDeepEqual(await keys(new URL(own).host), await keys('localhost'))
  const headers = { host: new URL(own).host }
  const server = await app.ask('GET', '/.well-known/oauth-authorization-server', { key: undefined, headers })
  assert.deepEqual([server.body.issuer, server.body.token_endpoint], [own, `${own}/oauth/token`])
})

test('a key is refused only at a host that is another organization’s own', async () => {
  const [globex, initech] = [await app.addTenant(), await app.addTenant()]
  const hostOf = ({ organizationId }: Tenant) => `organization-${organizationId}.muster.test`
  const ask = async (key: string, host: string) => (await app.ask('GET', '/whoami', { key, headers: { host } })).status
  for (const host of [new URL(baseUrl).host, 'localhost:8080', hostOf(globex), `${hostOf(globex)}:443`]) {
    assert.equal(await ask(globex.key, host), 200, host)
  }
  for (const key of [globex.key, app.tenant.key]) assert.equal(await ask(key, hostOf(initech)), 401)
  const refused = await app.ask('GET', '/whoami', { key: globex.key, headers: { host: hostOf(initech) } })
  assert.match(refused.body.message, new RegExp(`use https://${hostOf(globex)}`))
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: globex.keyId,
    client_secret: globex.key,
  })
  const granted = await app.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: form.toString(),
  })
  const token = granted.json().access_token
  const list = async (host: string) => (await app.ask('GET', '/ssf_streams', { key: token, headers: { host } })).status
  assert.deepEqual([await list(hostOf(globex)), await list(hostOf(initech))], [200, 401])
})

test('links of records lead to the address of the organization', async () => {
  const globex = await app.addTenant()
  const own = `https://organization-${globex.organizationId}.muster.test`
  const person = await make.person(globex.organizationId)
  const device = await make.device(globex.organizationId, { registered_owner_id: person.id })
  await make.device(globex.organizationId)
  const { body } = await app.ask('GET', `/devices/${device.id}`, { key: globex.key })
  assert.equal(body.registered_owner_info.link, `${own}/people/${person.id}`)
  const list = await app.ask('GET', '/devices?per_page=1', { key: globex.key })
  assert.ok(list.body.pagination.next.startsWith(`${own}/devices?`))
})

test('an organization without an address of its own makes no stream, and is told what to do', async () => {
  const globex = await addWithoutAddress(app)
  const { status, body } = await app.ask('POST', '/ssf_streams', { key: globex.key, body: { name: 'Okta' } })
  assert.equal(status, 422)
  assert.match(body.message, /muster organizations set-base-url/)
  const { organizationId } = globex
  const set = { baseUrl: 'https://globex.example', commonBaseUrl: baseUrl }
  await transact(app.db, (tx) => setBaseUrl(tx, set, systemChange(organizationId, app.now())))
  const made = await app.ask('POST', '/ssf_streams', { key: globex.key, body: { name: 'Okta' } })
  assert.deepEqual([made.status, made.body.iss], [201, 'https://globex.example'])
  assert.equal(made.body.aud, `https://globex.example/ssf_streams/${made.body.stream_id}`)
  assert.equal(made.body.delivery.endpoint_url, `${made.body.aud}/events`)
})

test('by setting, the issuer of such an organization is a path, with metadata and keys of its own', async () => {
  const globex = await addWithoutAddress(withPaths)
  const issuer = `${baseUrl}/ssf/${globex.organizationId}`
  const { body: stream } = await withPaths.ask('POST', '/ssf_streams', { key: globex.key, body: { name: 'Okta' } })
  assert.equal(stream.iss, issuer)
  assert.equal(stream.aud, `${baseUrl}/ssf_streams/${stream.stream_id}`)
  // getSsfConfigurationOfOrganization, getSsfConfigurationBelowOrganization
  const places = [
    `/.well-known/ssf-configuration/ssf/${globex.organizationId}`,
    `/ssf/${globex.organizationId}/.well-known/ssf-configuration`,
  ]
  for (const place of places) {
    const { status, body } = await withPaths.ask('GET', place, { key: undefined })
    assert.equal(status, 200)
    assert.deepEqual([body.issuer, body.jwks_uri], [issuer, `${issuer}/jwks.json`])
    assert.equal(body.configuration_endpoint, `${baseUrl}/ssf_streams`)
  }
  const place = `/.well-known/oauth-authorization-server/ssf/${globex.organizationId}`
  const server = await withPaths.ask('GET', place, { key: undefined })
  assert.deepEqual([server.body.issuer, server.body.token_endpoint], [issuer, `${baseUrl}/oauth/token`])
  assert.equal(server.headers['cache-control'], 'public, max-age=3600')
  await withPaths.ask('POST', '/ssf_streams/verify', { key: globex.key, body: { stream_id: stream.stream_id } })
  const token = await pollOne(withPaths, stream, globex.key)
  const { payload } = await verified(withPaths, token, { issuer, audience: stream.aud })
  assert.equal(payload.iss, issuer)
  await assert.rejects(verified(withPaths, token, { issuer: baseUrl, audience: stream.aud }))
})

test('a path that is nobody’s issuer is not there', async () => {
  const globex = await addWithoutAddress(app)
  // getSsfKeysOfOrganization
  for (const id of ['1', globex.organizationId, '999', 'x', '01', '99999999999999999999999', '%00', '1;select']) {
    assert.equal((await app.ask('GET', `/ssf/${id}/jwks.json`, { key: undefined })).status, 404, id)
    for (const name of ['ssf-configuration', 'oauth-authorization-server']) {
      const place = `/.well-known/${name}/ssf/${id}`
      assert.equal((await app.ask('GET', place, { key: undefined })).status, 404, place)
    }
  }
  assert.equal((await withPaths.ask('GET', '/ssf/1/jwks.json', { key: undefined })).status, 404)
})

test('an address belongs to one organization, and the first has MUSTER_BASE_URL', async () => {
  const [globex, initech] = [await app.addTenant(), await app.addTenant()]
  const set = (organizationId: string, to: string) =>
    transact(app.db, (tx) =>
      setBaseUrl(tx, { baseUrl: to, commonBaseUrl: baseUrl }, systemChange(organizationId, app.now())),
    )
  const own = `https://organization-${globex.organizationId}.muster.test`
  await assert.rejects(set(initech.organizationId, own), { code: 'invalid' })
  await assert.rejects(set(initech.organizationId, own.replace('https', 'http')), { code: 'invalid' })
  await assert.rejects(set(initech.organizationId, baseUrl), { code: 'invalid' })
  await assert.rejects(set('1', 'https://acme.example'), { code: 'invalid' })
  await set(globex.organizationId, 'https://elsewhere.example')
  await assert.rejects(set(initech.organizationId, own), { code: 'invalid' }, 'it still serves')
  const served = await app.ask('GET', '/.well-known/ssf-configuration', {
    key: undefined,
    headers: { host: new URL(own).host },
  })
  assert.equal(served.body.issuer, own)
})

test('once its old addresses have ended, keys of an organization are valid at its own only', async () => {
  const globex = await addWithoutAddress(app)
  const { organizationId } = globex
  const context = () => systemChange(organizationId, app.now())
  const set = (to: string) =>
    transact(app.db, (tx) => setBaseUrl(tx, { commonBaseUrl: baseUrl, baseUrl: to }, context()))
  const end = () => transact(app.db, (tx) => endOldAddresses(tx, context()))
  const whoami = async (host: string) =>
    (await app.ask('GET', '/whoami', { key: globex.key, headers: { host } })).status
  await assert.rejects(end(), { code: 'invalid' })
  await set('https://old.example')
  const { body: stream } = await app.ask('POST', '/ssf_streams', { key: globex.key, body: { name: 'Okta' } })
  await set('https://new.example')
  assert.deepEqual(await Promise.all(['old.example', 'new.example', 'muster.test'].map(whoami)), [200, 200, 200])
  await assert.rejects(end(), /The stream "Okta" has an issuer elsewhere/)
  // moveSsfStream, getSsfStreamIssuer
  const moved = await app.ask('POST', `/ssf_streams/${stream.id}/move`, { key: globex.key })
  assert.deepEqual([moved.status, moved.body.iss], [200, 'https://new.example'])
  const { body: issuer } = await app.ask('GET', `/ssf_streams/${stream.id}/issuer`, { key: globex.key })
  assert.deepEqual(
    [issuer.present.iss, issuer.former.iss, issuer.next],
    ['https://new.example', 'https://old.example', null],
  )
  await end()
  assert.deepEqual(await Promise.all(['old.example', 'new.example', 'muster.test'].map(whoami)), [401, 200, 401])
  const left = { key: undefined, headers: { host: 'old.example' } }
  assert.equal((await app.ask('GET', '/ssf/jwks.json', left)).status, 404)
  assert.equal((await app.ask('GET', '/.well-known/ssf-configuration', left)).status, 404)
})

test('a SCIM token is refused at the address of another organization', async () => {
  const [globex, initech] = [await app.addTenant(), await app.addTenant()]
  const { token } = await transact(app.db, (tx) =>
    createScimToken(tx, app.secrets, { name: 'Okta' }, systemChange(globex.organizationId, app.now())),
  )
  const status = async ({ organizationId }: Tenant) =>
    (
      await app.app.inject({
        url: '/scim/v2/Users',
        headers: { authorization: `Bearer ${token}`, host: `organization-${organizationId}.muster.test` },
      })
    ).statusCode
  assert.deepEqual([await status(globex), await status(initech)], [200, 401])
})

test('before there is an organization there are metadata and no keys', async () => {
  await app.database.reset()
  assert.equal((await app.ask('GET', '/.well-known/ssf-configuration', { key: undefined })).body.issuer, baseUrl)
  assert.deepEqual((await app.ask('GET', '/ssf/jwks.json', { key: undefined })).body, { keys: [] })
  await transact(app.db, (tx) => createOrganization(tx, { name: 'Acme', actor: systemActor, now: app.now() }))
  const { body, headers } = await app.ask('GET', '/ssf/jwks.json', { key: undefined })
  assert.deepEqual([body, headers['cache-control']], [{ keys: [] }, 'no-store'])
})

test('strangers make no key by asking: the first is there with the first stream, before any token', async () => {
  const { key, organizationId } = await addWithoutAddress(withPaths)
  const keys = () => withPaths.ask('GET', `/ssf/${organizationId}/jwks.json`, { key: undefined })
  const { status, body, headers } = await keys()
  assert.deepEqual([status, body, headers['cache-control']], [200, { keys: [] }, 'no-store'])
  assert.equal((await withPaths.ask('POST', '/ssf_streams', { key, body: { name: 'Okta' } })).status, 201)
  const made = await keys()
  assert.deepEqual([made.body.keys.length, made.headers['cache-control']], [1, 'public, max-age=3600'])
})
