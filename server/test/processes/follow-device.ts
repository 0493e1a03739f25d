import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { type CheckOutcome, openChangingDevice } from '../support/changing-device.ts'
import { until } from '../support/muster-process.ts'
import type { Receiver } from '../support/receivers.ts'
import { eventTypes } from '../support/set-checks.ts'
import { ask, makeStream, type Parts, poll, pollOf, push, receiving, type Stream } from './ssf-parts.ts'

/** What the suite allows; the machine may be busy with other tests. */
const changedWithinMs = 60_000

/** A check of a device is failed and mended, twice; what the streams say of it is what is so. */
export async function followDevice(parts: Parts): Promise<void> {
  const { tls } = parts
  const [standard, draft] = [await receiving(parts), await receiving(parts)]
  const device = await openChangingDevice(tls)
  parts.t.after(async () => device.close())
  const { deviceId, checkId } = device
  const streams = {
    standard: await makeStream(parts, { delivery: { method: push, endpoint_url: standard.localUrl } }),
    draft: await makeStream(parts, {
      ssf_stream: { name: 'Legacy', aud: draft.localUrl, delivery_type: 'push', authorization_header: 'Bearer legacy' },
    }),
    polled: await makeStream(parts, { delivery: { method: poll } }),
  }
  const title: string = (await ask(parts, 'GET', `/checks/${checkId}`)).issue_title
  for (const [round, outcome] of (['FAIL', 'PASS', 'FAIL', 'PASS'] as const).entries()) {
    const wroteAtMs = await device.turn(outcome)
    await until(changedWithinMs, async () => [standard, draft].every(({ received }) => received.length > round), 5)
    const [first, second] = [standard.received[round], draft.received[round]]
    assert.ok(first && second)
    parts.t.diagnostic(
      `from the agent's result (${outcome}) to the receivers: ${first.atMs - wroteAtMs} ms, ${second.atMs - wroteAtMs} ms`,
    )
    await assertChange(parts, { first, second, streams, deviceId, outcome, title, wroteAtMs })
  }
  await pause(300)
  assert.deepEqual([standard.received.length, draft.received.length], [4, 4], 'each change came once')
}

type Arrival = Receiver['received'][number]
type Change = {
  first: Arrival
  second: Arrival
  streams: Record<'standard' | 'draft' | 'polled', Stream>
  deviceId: string
  outcome: CheckOutcome
  title: string
  wroteAtMs: number
}

async function assertChange(parts: Parts, change: Change): Promise<void> {
  const { tls, check } = parts
  const { first, second, streams, deviceId, outcome, title, wroteAtMs } = change
  const isBlocked = outcome === 'FAIL'
  const set = await check(first.token, streams.standard.aud)
  const { event_timestamp: changedAt } = set.event
  assert.ok(Number.isInteger(changedAt) && Math.abs(Number(changedAt) - wroteAtMs / 1_000) < 30, `${changedAt}`)
  const event = {
    previous_status: isBlocked ? 'compliant' : 'not-compliant',
    current_status: isBlocked ? 'not-compliant' : 'compliant',
    event_timestamp: changedAt,
    initiating_entity: 'policy',
    reason_admin: { en: isBlocked ? `Blocked by: ${title}` : 'No issue is blocking this device anymore' },
    ...(isBlocked && { reason_user: { en: `To sign in again, fix: ${title}` } }),
  }
  assert.deepEqual([set.type, set.event], [eventTypes.complianceChange, event])
  const user = { format: 'email', email: tls.person }
  const device = { format: 'iss_sub', iss: tls.origin, sub: deviceId }
  const tenant = { format: 'opaque', id: '1' }
  assert.deepEqual(set.payload['sub_id'], { format: 'complex', user, device, tenant })

  const legacy = await check(second.token, streams.draft.aud)
  const subject = { user, device: { format: 'opaque', id: deviceId } }
  assert.deepEqual(
    [legacy.type, legacy.event, legacy.payload['sub_id'], second.authorization],
    [eventTypes.complianceChange, { subject, ...event }, undefined, 'Bearer legacy'],
  )
  assert.equal(legacy.payload['txn'], set.payload['txn'], 'one cause')
  assert.notEqual(legacy.payload.jti, set.payload.jti)

  const { sets } = await pollOf(parts, streams.polled, { returnImmediately: true })
  const [[jti = '', token = ''] = [], ...more] = Object.entries(sets)
  const polled = await check(token, streams.polled.aud)
  assert.deepEqual([polled.event, polled.payload['sub_id'], more.length], [event, set.payload['sub_id'], 0])
  assert.deepEqual(await pollOf(parts, streams.polled, { ack: [jti] }), { sets: {} })
}
