import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { decodeJwt } from 'jose'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { until } from '../../../test/support/muster-process.ts'
import { openReceiver, outboundOfTests } from '../../../test/support/receivers.ts'
import { verificationType } from './event-types.ts'
import { startPush } from './push/start-push.ts'

const app = testApp({ env: { MUSTER_ALLOW_PRIVATE_RECEIVERS: '1' }, outbound: outboundOfTests() })
const receivers = [await openReceiver(), await openReceiver()] as const
after(() => Promise.all(receivers.map((receiver) => receiver.close())))
beforeEach(() => app.reset())

const push = 'urn:ietf:rfc:8935'
const eventsOf = (token: string) => decodeJwt<{ events: Record<string, unknown> }>(token).events

test('a verification event arrives with the authorization of its stream, and at its new address after a change', async () => {
  const [first, second] = receivers
  const delivery = { method: push, endpoint_url: first.url, authorization_header: 'Bearer one' }
  const { body: made } = await app.ask('POST', '/ssf_streams', { body: { delivery } })
  const verify = (state: string) => app.ask('POST', '/ssf_streams/verify', { body: { stream_id: made.id, state } })
  await verify('a')
  assert.deepEqual(first.received, [])
  const deliverer = startPush(app.streams)
  try {
    await until(5_000, async () => first.received.length === 1)
    const moved = { method: push, endpoint_url: second.url, authorization_header: null }
    assert.equal((await app.ask('PATCH', `/ssf_streams/${made.id}`, { body: { delivery: moved } })).status, 200)
    await verify('b')
    await until(5_000, async () => second.received.length === 1)
    await app.ask('DELETE', `/ssf_streams/${made.id}`)
  } finally {
    await deliverer.stop()
  }
  const seen = [...first.received, ...second.received].map(({ token, authorization }) => [
    authorization,
    eventsOf(token),
  ])
  assert.deepEqual(seen, [
    ['Bearer one', { [verificationType]: { state: 'a' } }],
    [undefined, { [verificationType]: { state: 'b' } }],
  ])
})

testOnPostgres('of rotations at the same time one token is left, and it is one that was answered', async () => {
  const { body: made } = await app.ask('POST', '/ssf_streams', { body: {} })
  const rotations = await Promise.all(
    Array.from({ length: 8 }, () =>
      app.ask('POST', `/ssf_streams/${made.id}/rotate_poll_token`, { body: { mode: 'immediate' } }),
    ),
  )
  const answered = rotations.map(({ body }) =>
    app.secrets.lookupHash('poll_token', body.poll_bearer_token).toString('hex'),
  )
  const left = await app.db.selectFrom('ssf_poll_tokens').select('lookup_hash').execute()
  assert.equal(left.length, 1)
  assert.ok(answered.includes(left[0]?.lookup_hash.toString('hex') ?? ''))
})

testOnPostgres('of changes and deletions at the same time all fit one order', async () => {
  const { body: made } = await app.ask('POST', '/ssf_streams', { body: { name: 'One' } })
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, (_, index) =>
      app.ask('PATCH', `/ssf_streams/${made.id}`, { body: { name: `Name ${index}` } }),
    ),
    ...Array.from({ length: 3 }, () => app.ask('DELETE', `/ssf_streams/${made.id}`)),
  ])
  const statuses = answers.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 204).length, 1)
  assert.ok(statuses.every((status) => [200, 204, 404].includes(status)))
  const { body } = await app.ask('GET', '/audit_logs?query=description~"Deleted the stream"')
  assert.equal(body.data.length, 1)
})
