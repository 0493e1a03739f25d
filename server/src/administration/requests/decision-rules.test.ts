import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExemptionRequestDecision } from '@muster/contract/exemption-requests.ts'
import type { RegistrationRequestDecision } from '@muster/contract/registration-requests.ts'
import { readExemptionDecision, readMessage, readRegistrationDecision } from './decision-rules.ts'

const blank = { field: 'internal_message', message: 'must not be blank' }
const unexplained = (field: string) => ({ field, message: 'is required when the request is denied' })
const [approved, denied] = ['approved', 'denied'] as const

const exemptions: [ExemptionRequestDecision, ReturnType<typeof readExemptionDecision>][] = [
  [
    { status: approved, internal_message: ' Fine. ' },
    { ok: { status: approved, internalMessage: 'Fine.', explanation: null } },
  ],
  [
    { status: approved, internal_message: 'Fine.', denial_explanation: 'Unused.' },
    { ok: { status: approved, internalMessage: 'Fine.', explanation: null } },
  ],
  [
    { status: denied, internal_message: 'No.', denial_explanation: 'Encrypt it.' },
    { ok: { status: denied, internalMessage: 'No.', explanation: 'Encrypt it.' } },
  ],
  [
    { status: approved, reviewer_note: ' Fine. ' },
    { ok: { status: approved, internalMessage: 'Fine.', explanation: null } },
  ],
  [
    { status: approved, internal_message: 'Fine.', reviewer_note: 'Not this.' },
    { ok: { status: approved, internalMessage: 'Fine.', explanation: null } },
  ],
  [{ status: approved, reviewer_note: ' ' }, { errors: [blank] }],
  [{ status: approved }, { errors: [{ field: 'internal_message', message: 'is required' }] }],
  [{ status: approved, internal_message: ' \n' }, { errors: [blank] }],
  [{ status: denied, internal_message: 'No.' }, { errors: [unexplained('denial_explanation')] }],
  [
    { status: denied, internal_message: 'No.', denial_explanation: null },
    { errors: [unexplained('denial_explanation')] },
  ],
  [
    { status: denied, internal_message: '', denial_explanation: ' ' },
    { errors: [blank, unexplained('denial_explanation')] },
  ],
]

for (const [body, reading] of exemptions) {
  test(`of an exemption request ${JSON.stringify(body)} decides ${JSON.stringify(reading)}`, () => {
    assert.deepEqual(readExemptionDecision(body), reading)
  })
}

const registrations: [RegistrationRequestDecision, ReturnType<typeof readRegistrationDecision>][] = [
  [{ status: approved }, { ok: { status: approved, internalMessage: null, explanation: null } }],
  [
    { status: approved, internal_message: 'Order 4711.', internal_denial_reason: 'Unread.' },
    { ok: { status: approved, internalMessage: 'Order 4711.', explanation: null } },
  ],
  [
    { status: approved, internal_denial_reason: 'Unread.', end_user_denial_message: 'Unread.' },
    { ok: { status: approved, internalMessage: null, explanation: null } },
  ],
  [
    { status: denied, end_user_denial_message: 'Not yours.' },
    { ok: { status: denied, internalMessage: null, explanation: 'Not yours.' } },
  ],
  [
    { status: denied, internal_denial_reason: 'Old name.', end_user_denial_message: 'Not yours.' },
    { ok: { status: denied, internalMessage: 'Old name.', explanation: 'Not yours.' } },
  ],
  [
    { status: denied, internal_message: 'New.', internal_denial_reason: 'Old.', end_user_denial_message: 'No.' },
    { ok: { status: denied, internalMessage: 'New.', explanation: 'No.' } },
  ],
  [{ status: denied, internal_message: 'No.' }, { errors: [unexplained('end_user_denial_message')] }],
]

for (const [body, reading] of registrations) {
  test(`of a registration request ${JSON.stringify(body)} decides ${JSON.stringify(reading)}`, () => {
    assert.deepEqual(readRegistrationDecision(body), reading)
  })
}

test('a message is kept as the database can hold it, and refused when blank or too long', () => {
  assert.deepEqual(readMessage(' a\0b\ud800 '), { ok: 'a\ufffdb\ufffd' })
  assert.deepEqual(readMessage('x'.repeat(5_000)), { ok: 'x'.repeat(5_000) })
  assert.deepEqual(readMessage(' '), { errors: [{ field: 'message', message: 'must not be blank' }] })
  assert.deepEqual(readMessage('x'.repeat(5_001)), {
    errors: [{ field: 'message', message: 'must not have more than 5000 characters' }],
  })
})
