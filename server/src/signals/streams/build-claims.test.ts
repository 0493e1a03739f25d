import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimsOf, type SignalFacts } from './build-claims.ts'
import { complianceChangeType, verificationType } from './event-types.ts'

const issuer = 'https://trust.example.test'
const issue = { issuer, jti: '01J0', issuedAtMs: Date.parse('2026-07-14T03:33:25.999Z') }
const iat = Date.parse('2026-07-14T03:33:25.000Z') / 1_000
const event = {
  previous_status: 'compliant',
  current_status: 'not-compliant',
  event_timestamp: 1_784_000_001,
  initiating_entity: 'policy',
  reason_admin: { en: 'Blocked by: Disk is not encrypted' },
}
const change: SignalFacts = {
  kind: 'compliance_change',
  organizationId: '7',
  deviceId: '1042',
  userEmail: 'ana@acme.example',
  event,
  txn: '01T0',
}
const verification: SignalFacts = {
  ...change,
  kind: 'verification',
  deviceId: null,
  userEmail: null,
  event: { state: 's' },
}
const stream = {
  streamId: '5e2b6c1f-0e43-4b0b-9d61-7a1c3f3e2d10',
  audience: 'https://receiver.example.com/web',
  deviceSubjectFormat: 'iss_sub',
} as const

test('a change in v1_0 has its subject beside the event', () => {
  assert.deepEqual(claimsOf(change, { ...stream, specVersion: 'v1_0' }, issue), {
    iss: issuer,
    jti: '01J0',
    iat,
    aud: stream.audience,
    txn: '01T0',
    sub_id: {
      format: 'complex',
      user: { format: 'email', email: 'ana@acme.example' },
      device: { format: 'iss_sub', iss: issuer, sub: '1042' },
      tenant: { format: 'opaque', id: '7' },
    },
    events: { [complianceChangeType]: event },
  })
})

test('where a stream wants it, the device is opaque', () => {
  const claims = claimsOf(change, { ...stream, specVersion: 'v1_0', deviceSubjectFormat: 'opaque' }, issue) as {
    sub_id: { device: object }
  }
  assert.deepEqual(claims.sub_id.device, { format: 'opaque', id: '1042' })
})

test('a change in the draft has its subject within the event, and no format on the outside of it', () => {
  assert.deepEqual(claimsOf(change, { ...stream, specVersion: 'draft' }, issue), {
    iss: issuer,
    jti: '01J0',
    iat,
    aud: stream.audience,
    txn: '01T0',
    events: {
      [complianceChangeType]: {
        subject: {
          user: { format: 'email', email: 'ana@acme.example' },
          device: { format: 'opaque', id: '1042' },
        },
        ...event,
      },
    },
  })
})

test('a device that belongs to nobody has no user', () => {
  for (const specVersion of ['v1_0', 'draft'] as const) {
    const claims = JSON.stringify(claimsOf({ ...change, userEmail: null }, { ...stream, specVersion }, issue))
    assert.ok(!claims.includes('"user"') && claims.includes('1042'))
  }
})

test('a verification is about the stream, with the state that it was asked with', () => {
  const subject = { format: 'opaque', id: stream.streamId }
  const standard = claimsOf(verification, { ...stream, specVersion: 'v1_0' }, issue) as Record<string, unknown>
  assert.deepEqual([standard['sub_id'], standard['events']], [subject, { [verificationType]: { state: 's' } }])
  const draft = claimsOf({ ...verification, event: {} }, { ...stream, specVersion: 'draft' }, issue)
  assert.ok(!('sub_id' in draft))
  assert.deepEqual((draft as Record<string, unknown>)['events'], { [verificationType]: { subject } })
})
