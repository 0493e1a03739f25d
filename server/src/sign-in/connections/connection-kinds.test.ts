import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'

const app = testApp()

beforeEach(async () => app.reset())

async function signedIn() {
  const admin = await addAdmin(app)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const at = '/session/sign_in_connections'

const rsaKey = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' })
const ecKey = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
const p256 = ecKey('P-256')
const es256 = p256.publicKey.export({ format: 'jwk' })
const rs256 = rsaKey(2_048)
const unsigned = { kind: 'second_step', name: 'Payroll', redirect_uris: ['https://payroll.example.com/callback'] }
const payroll = { ...unsigned, request_keys: { keys: [rs256] } }

async function addUpstream(): Promise<string> {
  const { organizationId } = app.tenant
  const { id } = await app.db
    .insertInto('signin_upstreams')
    .values({
      ...{ organization_id: organizationId, name: 'Example ID', provider: 'oidc', issuer: 'https://id.example.com' },
      authorization_endpoint: 'https://id.example.com/authorize',
      ...{ client_id: 'muster', sealed_client_secret: Buffer.from('x'), created_at: app.now() },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

test('a second step needs keys and no upstream, and an application an upstream: the field that is wrong is named', async () => {
  const browser = await signedIn()
  const upstreamId = await addUpstream()
  const faultsOf = async (body: object) => {
    const answer = await browser.ask('POST', at, body)
    return [answer.status, answer.body.errors?.map(({ field }: { field: string }) => field)]
  }
  const application = { ...unsigned, kind: 'application' }
  assert.deepEqual(await faultsOf(unsigned), [422, ['request_keys']])
  assert.deepEqual(await faultsOf({ ...unsigned, mode: 'observe' }), [422, ['request_keys']])
  assert.deepEqual(await faultsOf({ ...payroll, upstream_id: upstreamId }), [422, ['upstream_id']])
  assert.deepEqual(await faultsOf({ ...unsigned, upstream_id: upstreamId }), [422, ['upstream_id', 'request_keys']])
  assert.deepEqual(await faultsOf(application), [422, ['upstream_id']])
  assert.deepEqual(await faultsOf({ ...payroll, kind: 'application' }), [422, ['upstream_id']])
  assert.deepEqual(await faultsOf({ ...payroll, kind: 'entra' }), [422, ['kind']])
  assert.deepEqual(await faultsOf({ ...payroll, kind: undefined }), [422, ['kind']])
  assert.equal((await browser.ask('POST', at, { ...unsigned, mode: 'disabled' })).status, 200)
  const { body } = await browser.ask('POST', at, { ...application, upstream_id: upstreamId })
  const shown = (await browser.ask('GET', `/views/sign_in_connections/${body.id}`)).body
  assert.deepEqual([shown.kind, shown.upstream_id, shown.request_algorithm], ['application', upstreamId, null])
  assert.equal(
    (await browser.ask('PATCH', `${at}/${body.id}`, { upstream_id: null })).body.errors[0].field,
    'upstream_id',
  )
  const said = app.db.selectFrom('audit_logs').select('description').orderBy('id', 'desc')
  const { description } = await said.executeTakeFirstOrThrow()
  assert.equal(description, 'Added the sign-in connection "Payroll", whose people an upstream signs in. It observes.')
})

test('a connection of Microsoft Entra has no upstream', async () => {
  const browser = await signedIn()
  const tenant = '5f2c1b7a-9d34-4e0b-8c61-2a7e93d0f415'
  const asked = { name: 'Microsoft 365', cloud: 'global', tenant_ids: [tenant], app_id: tenant }
  const { id } = (await browser.ask('POST', '/session/entra_connections', asked)).body
  const { status, body } = await browser.ask('PATCH', `${at}/${id}`, { upstream_id: await addUpstream() })
  assert.deepEqual([status, body.errors[0].field], [422, 'upstream_id'])
})

test('keys that are not public ones of one algorithm that requests are signed with are refused', async () => {
  const browser = await signedIn()
  const ed25519 = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const sets: Record<string, object[]> = {
    'of two algorithms': [rs256, es256],
    'of RS256 and PS256': [rs256, { ...rs256, alg: 'PS256' }],
    'with a private one': [es256, p256.privateKey.export({ format: 'jwk' })],
    'private in name': [{ ...rs256, d: 'x' }],
    'of Edwards curves': [ed25519],
    'of a longer curve': [ecKey('P-384').publicKey.export({ format: 'jwk' })],
    'of a short RSA key': [rsaKey(1_024)],
    'of a shared secret': [{ kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' }],
    'said to be for HS256': [{ ...rs256, alg: 'HS256' }],
    'said to be for ES384': [{ ...es256, alg: 'ES384' }],
    'off its curve': [{ ...es256, y: es256.x }],
    'without a name of text': [{ ...es256, kid: 7 }],
  }
  const { id } = (await browser.ask('POST', at, payroll)).body
  for (const [what, keys] of Object.entries(sets)) {
    for (const [method, path, more] of [
      ['POST', at, payroll],
      ['PATCH', `${at}/${id}`, {}],
    ] as const) {
      const { status, body } = await browser.ask(method, path, { ...more, request_keys: { keys } })
      assert.deepEqual([status, body.errors?.[0]?.field], [422, 'request_keys'], `${method} ${what}`)
    }
  }
})

test('the algorithm of requests is that of the keys, and changes with them alone', async () => {
  const browser = await signedIn()
  const { id } = (await browser.ask('POST', at, { ...payroll, request_keys: { keys: [rs256] } })).body
  const algorithm = async () => (await browser.ask('GET', `/views/sign_in_connections/${id}`)).body.request_algorithm
  const change = async (body: object) => assert.equal((await browser.ask('PATCH', `${at}/${id}`, body)).status, 204)
  assert.equal(await algorithm(), 'RS256')
  await change({
    request_keys: {
      keys: [
        { ...rs256, alg: 'PS256' },
        { ...rsaKey(2_048), alg: 'PS256' },
      ],
    },
  })
  assert.equal(await algorithm(), 'PS256')
  await change({ request_keys: { keys: [es256, { ...es256, kid: 'b', alg: 'ES256' }] } })
  await change({ name: 'Pay' })
  assert.equal(await algorithm(), 'ES256')
  await change({ mode: 'disabled', request_keys: null })
  assert.equal(await algorithm(), null)
})

test('a second step that is on keeps its keys, one that is disabled may lose them, and its kind stays', async () => {
  const browser = await signedIn()
  const { id } = (await browser.ask('POST', at, payroll)).body
  const change = async (body: object) => {
    const answer = await browser.ask('PATCH', `${at}/${id}`, body)
    return [answer.status, answer.body?.errors?.[0]?.field]
  }
  const refused = [422, 'request_keys']
  const done = [204, undefined]
  assert.deepEqual(await change({ kind: 'application' }), [422, 'kind'])
  assert.deepEqual(await change({ request_keys: null }), refused)
  assert.deepEqual(await change({ upstream_id: await addUpstream() }), [422, 'upstream_id'])
  assert.deepEqual(await change({ request_keys: null, mode: 'disabled' }), done)
  assert.deepEqual(await change({ mode: 'observe' }), refused)
  assert.deepEqual(await change({ mode: 'enforce', refused_count: 0 }), refused)
  const shown = (await browser.ask('GET', `/views/sign_in_connections/${id}`)).body
  assert.deepEqual([shown.kind, shown.mode, shown.request_keys], ['second_step', 'disabled', null])
  assert.deepEqual(await change({ mode: 'observe', request_keys: { keys: [es256] } }), done)
})
