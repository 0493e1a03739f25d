import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageHeaders } from './page-headers.ts'

const policyOf = (allowed?: Parameters<typeof pageHeaders>[0]) => pageHeaders(allowed)['content-security-policy']

test('a page may do what it says, and nothing else', () => {
  assert.equal(policyOf(), "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
  assert.equal(
    policyOf({ 'script-src': "'self'", forms: "'self'" }),
    "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  )
  assert.doesNotMatch(policyOf({ forms: 'anywhere' }) ?? '', /form-action/)
  assert.equal(pageHeaders()['referrer-policy'], 'no-referrer')
})
