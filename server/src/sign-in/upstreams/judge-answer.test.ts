import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStorable } from '../../base/storable.ts'
import { judgeAnswer } from './judge-answer.ts'
import type { Upstream } from './upstream-queries.ts'

const now = '2026-11-20T10:00:00.000Z'
const iss = 'https://login.microsoftonline.com/5f2c1b7a-0d3e-4f6a-8b9c-1a2b3c4d5e6f/v2.0'
const home = 'https://sts.windows.net/0c1f8b52-2f5e-4c39-9d2b-6b7a5f0c9d11/'

function judged(provider: Upstream['provider'], claims: Record<string, unknown>, domains = ['example.com']) {
  const token = { iss, sub: 'ana-7', iat: Date.parse(now) / 1_000, oid: 'o-1', email: 'ana@example.com', ...claims }
  const pinned = { provider, tenant_claim: null, tenant_value: null, email_domains: domains }
  return judgeAnswer(pinned, { token, beside: {}, asked: {}, begunAt: now, now })
}

function judge(...given: Parameters<typeof judged>) {
  const answer = judged(...given)
  return 'failure' in answer ? answer.failure : answer.address
}

function subjectOf(...given: Parameters<typeof judged>) {
  const answer = judged(...given)
  return 'failure' in answer ? answer.failure : answer.subject
}

test('a guest of a Microsoft Entra tenant is nobody, whatever the address of the account', () => {
  for (const claims of [{ idp: home }, { idp: 'live.com' }, { acct: 1 }, { acct: '1' }, { idp: iss, acct: 1 }]) {
    assert.equal(judge('entra', claims), 'tenant', JSON.stringify(claims))
    assert.equal(judge('oidc', claims), 'ana@example.com')
  }
})

test('a member of the tenant is named by the address', () => {
  const own = `https://sts.windows.net/${iss.split('/')[3]}/`
  for (const claims of [{}, { idp: iss }, { idp: own }, { acct: 0 }, { idp: iss, acct: '0' }]) {
    assert.equal(judge('entra', claims), 'ana@example.com', JSON.stringify(claims))
  }
  assert.equal(judge('entra', { email: 'ana@evil.example' }), 'domain')
})

test('a person of Microsoft Entra is known by the identifier that no other client changes', () => {
  assert.equal(subjectOf('entra', {}), 'o-1')
  assert.equal(subjectOf('entra', { oid: undefined }), 'refused')
  assert.equal(subjectOf('oidc', {}), 'ana-7')
})

test('what no database holds identifies nobody, and is passed on of nobody', () => {
  for (const odd of ['a\0', '\ud800', '\udc00b']) {
    assert.equal(subjectOf('entra', { oid: odd }), 'refused')
    assert.equal(judge('oidc', { email: `${odd}@example.com` }), 'refused')
    const answer = judged('oidc', { name: odd, preferred_username: odd, acr: odd, amr: [odd, 'pwd'] })
    assert.deepEqual('said' in answer && answer.said, { amr: ['pwd'], email: 'ana@example.com' })
  }
})

test('an address counts by what is said of it, as a boolean or as a text', () => {
  const cases: [word: unknown, pinned: string, unpinned: string][] = [
    ...[true, 'true'].map((word): [unknown, string, string] => [word, 'ana@example.com', 'ana@example.com']),
    [undefined, 'ana@example.com', 'unverified'],
    ...[false, 'false', null, 'True', '', 1].map((word): [unknown, string, string] => [
      word,
      'unverified',
      'unverified',
    ]),
  ]
  for (const [word, pinned, unpinned] of cases) {
    const claims = { email_verified: word }
    const found = [judge('oidc', claims), judge('oidc', claims, [])]
    assert.deepEqual(found, [pinned, unpinned], JSON.stringify(word))
  }
})

test('why an answer names nobody can be kept, wherever its text is cut', () => {
  for (const before of ['', 'a']) {
    const answer = judged('entra', { idp: `${before}${'😀'.repeat(100)}` })
    assert.ok('detail' in answer && isStorable(answer.detail))
  }
})
