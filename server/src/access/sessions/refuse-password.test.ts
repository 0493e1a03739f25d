import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { faultOfCommonPassword } from './refuse-password.ts'

const leaked = 'Choose a less common password: this one is in lists of leaked passwords.'
const guessable = 'Choose a less common password: this one is easy to guess.'

test('what anyone would try first is refused', async () => {
  for (const password of [
    'password1234',
    'Password1234!',
    'P@ssw0rd1234',
    'qwerty123456',
    'Welcome12345',
    'iloveyou1234',
  ]) {
    assert.equal(await faultOfCommonPassword(password), leaked, password)
  }
  for (const password of ['abcdefghijkl', 'letmeinletmein', 'abab'.repeat(50)]) {
    assert.equal(await faultOfCommonPassword(password), guessable, password)
  }
})

test('a few words and random characters are accepted, however long they are', async () => {
  const random = Array.from({ length: 20 }, () => randomBytes(9).toString('base64url'))
  for (const password of ['a long walk at dusk', 'two walks at dawn', 'kX9#vQ2mLr7!', 'дорога до дому', ...random]) {
    assert.equal(await faultOfCommonPassword(password), undefined, password)
  }
  assert.equal(await faultOfCommonPassword(randomBytes(150).toString('base64url')), undefined)
})
