import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOf, changeOf, changesInWords, type NewConnectionInput, noInput } from './connection-input.ts'

const pkceCases: [what: string, input: Partial<NewConnectionInput>, isRequired: boolean][] = [
  ['an application', { kind: 'application' }, true],
  ['an application that does without', { kind: 'application', requiresPkce: false }, false],
  [
    'a public application, whatever was chosen before',
    { kind: 'application', isPublic: true, requiresPkce: false },
    true,
  ],
  ['a second step, whatever was chosen before', { kind: 'second_step', requiresPkce: false }, true],
]

for (const [what, input, isRequired] of pkceCases) {
  test(`PKCE is ${isRequired ? '' : 'not '}required of ${what}`, () => {
    assert.equal(bodyOf({ ...noInput, ...input }).requires_pkce, isRequired)
  })
}

test('sign-out addresses are sent one from each line, and none where the field is blank', () => {
  const addresses = (postLogoutUris: string) => bodyOf({ ...noInput, postLogoutUris }).post_logout_redirect_uris
  assert.deepEqual(addresses('https://a.example/out\n\n  https://b.example/out\n'), [
    'https://a.example/out',
    'https://b.example/out',
  ])
  assert.deepEqual(addresses(' \n'), [])
})

test('only what differs is sent, and named', () => {
  const before = { ...noInput, kind: 'application', postLogoutUris: 'https://a.example/out' } as const
  const after = { ...before, postLogoutUris: '', requiresPkce: false }
  assert.deepEqual(changeOf(before, after), { post_logout_redirect_uris: [], requires_pkce: false })
  assert.equal(changesInWords(before, after), '2 changes: sign-out addresses, PKCE')
})
