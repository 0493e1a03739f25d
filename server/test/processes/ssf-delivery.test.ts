import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { engine, testDatabase } from '../support/database.ts'
import { until } from '../support/muster-process.ts'
import { eventTypes, setChecker } from '../support/set-checks.ts'
import { openTlsServer } from '../support/tls-server.ts'
import { followDevice } from './follow-device.ts'
import { ask, makeStream, ms, type Parts, poll, pollOf, push, receiving, type Stream } from './ssf-parts.ts'

// What the conformance suite of OpenID asserts of verification and interoperability, over TLS, against real receivers.
const database = engine === 'postgres' ? testDatabase() : undefined

/** What the suite allows; the machine may be busy with other tests. */
const verifiedWithinMs = 5_000

test('the transmitter as a receiver of the conformance suite sees it', { timeout: 280_000 }, async (t) => {
  const tls = await openTlsServer(t, database)
  const parts = { t, tls, check: setChecker(tls.origin) }
  await t.test('verification by push, with the exact Authorization and with none', () => verifyByPush(parts))
  await t.test('verification by poll: only polled, polled and acknowledged, only acknowledged', () =>
    verifyByPoll(parts),
  )
  await t.test('a compliance change of a device reaches every stream with what is so', () => followDevice(parts))
  assert.equal(await tls.server.stop(), 0)
})

const verify = (parts: Parts, { stream_id }: Stream, state?: string) =>
  ask(parts, 'POST', '/ssf_streams/verify', { stream_id, ...(state !== undefined && { state }) })

async function verifyByPush(parts: Parts): Promise<void> {
  const { t, check } = parts
  const audience = 'https://audience.example/acme'
  for (const [authorization, specVersion, aud] of [
    ['Bearer s3cr3t/+==  with two spaces', 'v1_0', undefined],
    [undefined, 'v1_0', audience],
    ['Basic dXNlcjpwYXNz', 'draft', undefined],
  ]) {
    const receiver = await receiving(parts)
    const delivery = { method: push, endpoint_url: receiver.localUrl, authorization_header: authorization }
    const stream = await makeStream(parts, { delivery, spec_version: specVersion, ...(aud && { aud }) })
    for (const state of ['VGhpcyBpcyBhIHN0YXRl', undefined]) {
      const before = receiver.received.length
      const startedAt = performance.now()
      await verify(parts, stream, state)
      await until(verifiedWithinMs, async () => receiver.received.length > before, 5)
      t.diagnostic(`verification by push (${specVersion}) after ${ms(performance.now() - startedAt)}`)
      const seen = receiver.received[before]
      assert.ok(seen)
      assert.deepEqual([seen.authorization, seen.contentType], [authorization, 'application/secevent+jwt'])
      assertVerification(await check(seen.token, aud ?? receiver.localUrl), stream, specVersion, state)
    }
    await pause(200)
    assert.equal(receiver.received.length, 2, 'each came once')
    await ask(parts, 'DELETE', `/ssf_streams/${stream.id}`)
  }
}

type Checked = Awaited<ReturnType<ReturnType<typeof setChecker>>>

function assertVerification({ payload, type, event }: Checked, stream: Stream, specVersion = 'v1_0', state?: string) {
  const subject = { format: 'opaque', id: stream.stream_id }
  const isDraft = specVersion === 'draft'
  assert.equal(type, eventTypes.verification)
  assert.deepEqual(payload['sub_id'], isDraft ? undefined : subject)
  assert.deepEqual(event, { ...(isDraft && { subject }), ...(state !== undefined && { state }) })
}

async function verifyByPoll(parts: Parts): Promise<void> {
  const { t, check } = parts
  const stream = await makeStream(parts, { delivery: { method: poll } })
  const own = `${parts.tls.origin}/ssf_streams/${stream.stream_id}`
  assert.deepEqual([stream.aud, stream.delivery.endpoint_url], [own, `${own}/events`])
  assert.deepEqual(await pollOf(parts, stream, { returnImmediately: true }), { sets: {} })
  const startedAt = performance.now()
  // Held open until there is something.
  const held = pollOf(parts, stream, { maxEvents: 10 })
  await verify(parts, stream, 'first')
  const first = await held
  t.diagnostic(`verification by a held poll after ${ms(performance.now() - startedAt)}`)
  const [[firstJti = '', firstToken = ''] = []] = Object.entries(first.sets)
  const set = await check(firstToken, own)
  assert.equal(set.payload.jti, firstJti)
  assertVerification(set, stream, 'v1_0', 'first')

  const pollOnly = await pollOf(parts, stream, { returnImmediately: true })
  assert.deepEqual(pollOnly, first, 'what is not acknowledged comes again, the same bytes')
  await verify(parts, stream, 'second')
  const pollAndAck = await pollOf(parts, stream, { ack: [firstJti], maxEvents: 10, returnImmediately: true })
  const [[secondJti = '', secondToken = ''] = [], ...more] = Object.entries(pollAndAck.sets)
  assert.deepEqual([more.length, secondJti === firstJti, 'moreAvailable' in pollAndAck], [0, false, false])
  assertVerification(await check(secondToken, own), stream, 'v1_0', 'second')
  const ackOnly = await pollOf(parts, stream, { ack: [secondJti], maxEvents: 0 })
  assert.deepEqual(ackOnly, { sets: {} })
  assert.deepEqual(await pollOf(parts, stream, { returnImmediately: true }), { sets: {} })
  const { data } = await ask(parts, 'GET', `/ssf_streams/${stream.id}/history`)
  const states = data.map(({ kind, state }: { kind: string; state: string }) => [kind, state])
  assert.deepEqual(states, Array(2).fill(['verification', 'acknowledged']))
  await ask(parts, 'DELETE', `/ssf_streams/${stream.id}`)
}
