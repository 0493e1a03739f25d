import assert from 'node:assert/strict'
import { test } from 'node:test'
import { standingRefusal } from './connection-words.ts'

const refusal = { reason: 'pkce_missing', refused_at: '2026-11-20T10:00:00.000Z' } as const
const [earlier, later] = ['2026-11-20T09:59:59.999Z', '2026-11-20T10:00:00.001Z']

const cases: [what: string, signedInAt: string | null, otherAt: string | undefined, stands: boolean][] = [
  ['stands where nobody got in', null, undefined, true],
  ['stands after the last sign-in', earlier, undefined, true],
  ['is over once someone got in', later, undefined, false],
  ['stands after the last failure', null, earlier, true],
  ['is over once something else failed', earlier, later, false],
]

for (const [what, last_sign_in_at, otherAt, stands] of cases) {
  test(`a refused request ${what}`, () => {
    const found = standingRefusal({ last_refusal: refusal, last_sign_in_at }, otherAt)
    assert.equal(found?.what, stands ? 'The application sends no PKCE' : undefined)
  })
}

test('without a refused request none stands', () => {
  assert.equal(standingRefusal({ last_refusal: null, last_sign_in_at: null }), undefined)
})
