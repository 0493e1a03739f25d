import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { json, startHostileProvider } from '../../../test/support/hostile-provider.ts'
import { relyingParty } from '../../../test/support/sign-in-browser.ts'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { upstreamEgress } from '../egress/upstream-egress.ts'
import { readKeysAt } from './read-keys-at.ts'
import { refreshRequestKeys } from './refresh-request-keys.ts'

const listed = ['127.0.0.1']
const { stage, setUp, arrive } = signInStage({ privateIdentityProviders: listed })

const caller = await startHostileProvider()
after(() => caller.stop())
const url = `${caller.issuer}/keys`
const publish = (...keys: readonly object[]) => caller.endpoints.set('/keys', json({ keys }))

const warned: object[] = []
beforeEach(() => {
  caller.reset()
  warned.length = 0
})

const egressOf = (privateIdentityProviders: readonly string[]) =>
  upstreamEgress({ ...stage.config, privateIdentityProviders })

const refresh = (signal = new AbortController().signal) =>
  refreshRequestKeys(
    { db: stage.db, egress: egressOf(listed), clock: () => stage.now(), warn: (facts) => void warned.push(facts) },
    signal,
  )

/** A connection whose keys are read where its caller publishes them. */
async function published() {
  const set = await setUp()
  publish(set.rp.jwk)
  await stage.db.updateTable('signin_connections').set({ request_keys_url: url }).execute()
  await refresh()
  return set
}

const isLetIn = async (set: Parameters<typeof arrive>[0]) => /^\/signin\/[0-9a-f]{24}$/.test((await arrive(set)).path)
const countEntries = async () =>
  (await stage.db.selectFrom('audit_logs').select('id').where('action', '=', 'signin_connection.changed').execute())
    .length

test('a caller changes its keys by itself: those that it publishes count from the next reading on, and no others', async () => {
  const set = await published()
  assert.equal(await isLetIn(set), true)
  const next = { ...set, rp: await relyingParty({ now: () => stage.now() }) }
  publish(set.rp.jwk, next.rp.jwk)
  assert.equal(await isLetIn(next), false)
  await refresh()
  assert.deepEqual([await isLetIn(next), await isLetIn(set)], [true, true])
  publish(next.rp.jwk)
  await refresh()
  assert.deepEqual([await isLetIn(next), await isLetIn(set)], [true, false])
})

test('keys that are the same write nothing, and new ones an entry', async () => {
  const set = await published()
  const before = await countEntries()
  publish({ ...set.rp.jwk, use: 'sig', x5c: ['AA=='] })
  await refresh()
  assert.equal(await countEntries(), before)
  const other = await relyingParty({ now: () => stage.now() })
  publish(other.jwk)
  await refresh()
  assert.equal(await countEntries(), before + 1)
})

const wrongs: [title: string, answer: Parameters<typeof caller.endpoints.set>[1]][] = [
  ['none', json({ keys: [] })],
  ['no key set', json('keys')],
  ['an error', json({}, 503)],
  ['another place', (response) => response.writeHead(302, { location: caller.insideOrigin }).end()],
  ['2 MB', (response) => response.end(`{"keys":["${'x'.repeat(2 ** 21)}"]}`)],
  ['keys of another algorithm', json({ keys: [{ kty: 'EC', crv: 'P-384', x: 'AA', y: 'AA' }] })],
  ['a connection that breaks off', (response) => response.destroy()],
]
for (const [title, answer] of wrongs) {
  test(`where a caller publishes ${title}, the keys of before stay in use, and the log says so`, async () => {
    const set = await published()
    caller.endpoints.set('/keys', answer)
    await refresh()
    assert.equal(warned.length, 1)
    assert.equal(await isLetIn(set), true)
    assert.equal(caller.inward(), 0)
  })
}

test('of a set that has more, the keys that sign by the algorithm of the connection count', async () => {
  const { rp } = await setUp()
  const elliptic = { kty: 'EC', crv: 'P-256', kid: 'ec', ...(await ellipticPoint()) }
  publish(rp.jwk, { ...caller.jwk, kid: 'enc', use: 'enc' }, elliptic, { kty: 'oct', k: 'AA' })
  const read = await readKeysAt(egressOf(listed), url, 'ES256')
  assert.deepEqual(
    read.map(({ kid }) => kid),
    ['ec'],
  )
  await assert.rejects(readKeysAt(egressOf(listed), url, 'PS256'), /./)
})

async function ellipticPoint() {
  const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
  const { x, y } = await crypto.subtle.exportKey('jwk', publicKey)
  return { x, y }
}

test('an address inside is called for no one unless the operator lists it', async () => {
  publish(caller.jwk)
  for (const [privates, address] of [
    [[], url],
    [[], url.replace('http:', 'https:')],
    [['10.0.0.0/8'], url],
    [listed, 'http://keys.example.com/'],
    [listed, 'file:///etc/passwd'],
  ] as const) {
    await assert.rejects(readKeysAt(egressOf(privates), address), { code: 'invalid' })
  }
  assert.deepEqual(caller.asked, [])
})

test('a published key with text that no database holds is passed over, and refused where it is the only one', async () => {
  const set = await published()
  const { n = '' } = caller.jwk
  const odd = [{ kid: 'a\0' }, { kid: '\ud800' }, { n: `${n}\0` }, { n: `${n}\udc00` }, { kid: '\0', alg: 'RS256' }]
  for (const part of odd) {
    publish({ ...caller.jwk, ...part }, set.rp.jwk)
    await refresh()
    assert.deepEqual([warned.length, await isLetIn(set)], [0, true], JSON.stringify(part))
    const read = await readKeysAt(egressOf(listed), url)
    assert.deepEqual(
      read.map(({ kid }) => kid),
      ['rp'],
    )
    publish({ ...caller.jwk, ...part })
    await assert.rejects(readKeysAt(egressOf(listed), url), { code: 'invalid' })
  }
})
