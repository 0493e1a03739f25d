import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noUpstream, upstreamBodyOf, upstreamChangesInWords } from './upstream-input.ts'

test('people are signed out at a provider that has an address for it, and never at Google', () => {
  const input = { ...noUpstream, signsOut: true }
  assert.equal(upstreamBodyOf('keycloak', input).signs_out, true)
  assert.equal(upstreamBodyOf('google', input).signs_out, false)
  assert.equal(upstreamBodyOf('keycloak', noUpstream).signs_out, false)
  assert.equal(upstreamChangesInWords(noUpstream, input), '1 change: signing out there')
})
