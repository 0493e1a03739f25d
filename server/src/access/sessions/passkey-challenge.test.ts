import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startOfTests } from '../../../test/support/make.ts'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { isOurChallenge, makeChallenge } from './passkey-challenge.ts'

test('a challenge, which counts once by its text, has one spelling', () => {
  const secrets = openSecrets(randomBytes(32))
  const text = makeChallenge(secrets, 'sign in', '', startOfTests).toString('base64url')
  const isOurs = (sent: string) => isOurChallenge(secrets, sent, 'sign in', '', startOfTests)
  assert.ok(isOurs(text))
  const others = [`${text}=`, `${text} `, `${text.slice(0, 4)}.${text.slice(4)}`, `${text}!`]
  for (const other of others) {
    assert.deepEqual(Buffer.from(other, 'base64url'), Buffer.from(text, 'base64url'))
    assert.ok(!isOurs(other), other)
  }
})
