import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { answerOf, chooseClaims, type EntraOutcome } from './answer-rules.ts'

const states = [
  ...(['looking', 'unknown_person', 'linking', 'evaluating', 'register', 'ask_it'] as const),
  ...(['awaiting_approval', 'denied', 'not_your_device', 'unfinished', 'blocked', 'warning', 'passed'] as const),
  ...(['observed', 'keeps_asking', 'ended'] as const),
]
const anyOutcome: fc.Arbitrary<EntraOutcome> = fc.record({
  state: fc.constantFrom(...states),
  mode: fc.constantFrom('enforce', 'observe', 'disabled'),
  isProved: fc.boolean(),
  isAnswered: fc.boolean(),
})
const asked = { acr: 'possessionorinherence', amr: 'swk' }

test('of a factor nothing is positive without an accepted proof and a committed success, in any mode and state', () => {
  let tokens = 0
  fc.assert(
    fc.property(anyOutcome, (outcome) => {
      const answer = answerOf(outcome, asked)
      if (answer.kind !== 'token') return
      tokens += 1
      assert.ok(outcome.isProved && outcome.isAnswered && outcome.mode !== 'disabled')
      assert.ok(['warning', 'passed', 'observed'].includes(outcome.state))
      assert.deepEqual(answer.claims, { acr: asked.acr, amr: [asked.amr] })
    }),
    { numRuns: 5_000 },
  )
  assert.ok(tokens > 0)
})

test('whoever observes keeps nobody whose device has not proved itself, and lets none of them in', () => {
  for (const state of states) {
    const answer = answerOf({ state, mode: 'observe', isProved: false, isAnswered: false }, asked)
    assert.deepEqual(answer, { kind: 'error', error: 'access_denied' }, state)
  }
})

const outcomes: readonly (readonly [string, EntraOutcome, string])[] = [
  ['a cancelled sign-in', { state: 'ended', mode: 'enforce', isProved: true, isAnswered: false }, 'error'],
  [
    'a blocked device that may be fixed',
    { state: 'blocked', mode: 'enforce', isProved: true, isAnswered: false },
    'none',
  ],
  ['a page that still looks', { state: 'looking', mode: 'enforce', isProved: false, isAnswered: false }, 'none'],
  [
    'a connection that was turned off',
    { state: 'passed', mode: 'disabled', isProved: true, isAnswered: true },
    'error',
  ],
  [
    'a device that observing lets in',
    { state: 'observed', mode: 'observe', isProved: true, isAnswered: true },
    'token',
  ],
]

for (const [title, outcome, kind] of outcomes) test(title, () => assert.equal(answerOf(outcome, asked).kind, kind))

const allAmr = ['face', 'fido', 'fpt', 'hwk', 'iris', 'otp', 'pop', 'retina', 'sc', 'sms', 'swk', 'tel', 'vbm']

const choices: readonly (readonly [string[], string[], object | undefined])[] = [
  [['possessionorinherence'], allAmr, { acr: 'possessionorinherence', amr: 'swk' }],
  [['knowledgeorpossession'], ['pop', 'hwk'], { acr: 'knowledgeorpossession', amr: 'pop' }],
  [['inherence', 'possession'], allAmr, { acr: 'possession', amr: 'swk' }],
  [['possession'], [], { acr: 'possession', amr: 'swk' }],
  // Whoever signed in with a passkey has to give something else than what they have.
  [['knowledgeorinherence'], allAmr, undefined],
  [['possessionorinherence'], ['hwk', 'otp'], undefined],
  [[], allAmr, undefined],
]

test('an answer has one acr and one amr of those that were asked for, and never hardware that is not proved', () => {
  for (const [acrValues, amrValues, chosen] of choices) assert.deepEqual(chooseClaims({ acrValues, amrValues }), chosen)
  const words = fc.array(fc.constantFrom(...allAmr, 'possessionorinherence', 'knowledge', 'possession', 'x'))
  fc.assert(
    fc.property(words, words, (acrValues, amrValues) => {
      const chosen = chooseClaims({ acrValues, amrValues })
      if (!chosen) return
      assert.ok(acrValues.includes(chosen.acr) && chosen.acr.includes('possession'))
      assert.ok((amrValues.length === 0 || amrValues.includes(chosen.amr)) && ['swk', 'pop'].includes(chosen.amr))
    }),
  )
})
