import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isForOwner, ownerMessage, ownerMessages } from './owner-message.ts'

const now = Date.parse('2026-11-23T12:00:00.000Z')
const issue = {
  title: 'FileVault is off',
  rationale: 'A lost Mac can be read.',
  fix_instructions: '1. Open System Settings.',
  resolved_at: null,
  exempted: false,
  is_paused: false,
  is_held: false,
  blocks_at: '2026-11-20T12:00:00.000Z',
  strategy: 'warn_then_block',
  owner: { id: '1', name: 'Ana Ruiz' },
  device: { id: '2', name: 'ana\u202emac' },
} as const

test('a message has what blocks, why, and how to fix it, with the text of the device made visible', () => {
  assert.equal(
    ownerMessage([issue], now),
    [
      'ana\\u202emac is blocked until you fix what is listed here.',
      'FileVault is off (blocks the device)',
      'A lost Mac can be read.',
      'How to fix it:\n1. Open System Settings.',
    ].join('\n\n'),
  )
})

test('a message about what does not block yet says the deadline', () => {
  const later = { ...issue, blocks_at: '2026-11-25T09:30:00.000Z' }
  const quiet = {
    ...issue,
    title: 'The firewall is off',
    strategy: 'notify_only',
    rationale: null,
    fix_instructions: null,
  } as const
  const text = ownerMessage([later, quiet], now)
  assert.match(text, /^ana\\u202emac has 2 issues to fix\.\n\nFileVault is off \(fix it before .*09:30 UTC\)\n/)
  assert.match(text, /\n\nThe firewall is off$/)
})

test('a message says where the texts of an issue are, when they are too long for it', () => {
  const long = { ...issue, texts_left_out: true, rationale: null, fix_instructions: null }
  assert.match(ownerMessage([long], now), /FileVault is off \(blocks the device\)\n\nWhat to do about it is too long/)
})

test('nothing is written about issues that their owner does not see', () => {
  assert.equal(isForOwner({ ...issue, strategy: 'report_only' }, now), false)
  assert.equal(isForOwner({ ...issue, exempted: true }, now), false)
  assert.equal(isForOwner({ ...issue, strategy: 'notify_only' }, now), true)
  assert.equal(ownerMessage([], now), '')
})

test('messages to several owners each begin with the address', () => {
  const text = ownerMessages(
    [
      { email: 'ana@acme.example', issues: [{ id: '1', texts_left_out: false, ...issue }] },
      {
        email: 'ben\u202e@acme.example',
        issues: [{ id: '2', texts_left_out: false, ...issue, strategy: 'notify_only' }],
      },
    ],
    now,
  )
  assert.match(
    text,
    /^To: ana@acme\.example\n\nana\\u202emac is blocked .*\n\n--------\n\nTo: ben\\u202e@acme\.example\n\n/s,
  )
})
