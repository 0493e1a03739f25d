import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrivalAsJson, describeArrival } from './describe-arrival.ts'

const receivedAt = '2026-11-20T10:00:00.000Z'
const complianceChange = 'https://schemas.openid.net/secevent/caep/event-type/device-compliance-change'
const common = { iss: 'https://trust.example.test', aud: 'r', iat: 1, jti: 'j1' }
const change = { previous_status: 'compliant', current_status: 'not-compliant', reason_admin: { en: 'Disk' } }
const accepted = { receivedAt, outcome: 'accepted', detail: null } as const

test('a change says how the device stands, whose it is and why, in either layout', () => {
  const subject = {
    format: 'complex',
    user: { format: 'email', email: 'ana@acme.example' },
    device: { format: 'iss_sub', iss: common.iss, sub: '1042' },
    tenant: { format: 'opaque', id: '7' },
  }
  const line = `${receivedAt}  device-compliance-change  compliant → not-compliant  device 1042  user ana@acme.example  "Disk"  jti j1`
  const claims = { ...common, sub_id: subject, events: { [complianceChange]: change } }
  assert.equal(describeArrival({ ...accepted, claims }), line)
  const draft = { user: subject.user, device: { format: 'opaque', id: '1042' } }
  const older = { ...common, events: { [complianceChange]: { subject: draft, ...change } } }
  assert.equal(describeArrival({ ...accepted, claims: older }), line)
})

test('news of the stream itself, of unknown types and of nothing at all make a line', () => {
  const verification = {
    ...common,
    sub_id: { format: 'opaque', id: 's1' },
    events: { 'a/verification': { state: 'x' } },
  }
  assert.equal(
    describeArrival({ ...accepted, claims: verification }),
    `${receivedAt}  verification  s1  state x  jti j1`,
  )
  const unknown = { ...common, sub_id: 7, events: { 'urn:other': { reason_admin: 1, current_status: {} } } }
  assert.equal(describeArrival({ ...accepted, claims: unknown }), `${receivedAt}  urn:other  jti j1`)
  const refused = { receivedAt, outcome: 'refused', detail: 'invalid_key: x', claims: null } as const
  assert.equal(describeArrival(refused), `${receivedAt}  REFUSED  invalid_key: x`)
  const again = { receivedAt, outcome: 'repeated', detail: 'it came before', claims: verification } as const
  assert.equal(describeArrival(again), `${receivedAt}  REPEATED  verification  s1  state x  jti j1  it came before`)
})

test('what a token holds can neither steer the terminal nor fill it', () => {
  const hostile = `\u001b[2J\u009b31m\r\n${'x'.repeat(100_000)}`
  const claims = { ...common, jti: hostile, sub_id: { format: 'email', email: hostile }, events: { [hostile]: {} } }
  const line = describeArrival({ ...accepted, claims })
  assert.doesNotMatch(line, /\p{Cc}/u)
  assert.ok(line.length < 1_000)
  const json = arrivalAsJson({ ...accepted, claims })
  assert.doesNotMatch(json, /\p{Cc}/u)
  assert.deepEqual(JSON.parse(json), { received_at: receivedAt, outcome: 'accepted', detail: null, claims })
})
