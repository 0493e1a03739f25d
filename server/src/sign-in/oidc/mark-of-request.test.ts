import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markOfRequest, markOfSigned } from './mark-of-request.ts'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = (claims: object, signature: string) => `${part({ alg: 'ES256' })}.${part(claims)}.${signature}`

test('what is signed alike has one mark, however its signature is written', () => {
  const mark = markOfSigned('hint', signed({ sub: 'ada' }, 'AAAA'))
  assert.deepEqual(markOfSigned('hint', signed({ sub: 'ada' }, 'AAAB')), mark)
  assert.deepEqual(markOfSigned('hint', signed({ sub: 'ada' }, ' AA AA ')), mark)
  for (const other of [signed({ sub: 'ben' }, 'AAAA'), signed({ sub: 'ada', iat: 1 }, 'AAAA')])
    assert.notDeepEqual(markOfSigned('hint', other), mark)
  assert.notDeepEqual(markOfSigned('request', signed({ sub: 'ada' }, 'AAAA')), mark)
})

test('header and payload do not run into each other', () => {
  assert.notDeepEqual(markOfSigned('hint', 'QUJD.QQ.x'), markOfSigned('hint', 'QUI.Q0E.x'))
})

test('a request with a jti is known by it alone, and one with an empty or odd jti by what was signed', () => {
  const [one, other] = [signed({ jti: 'a' }, 'AAAA'), signed({ jti: 'a', iat: 2 }, 'BBBB')]
  assert.deepEqual(markOfRequest({ jti: 'a' }, one), markOfRequest({ jti: 'a' }, other))
  for (const jti of ['', 7, null]) assert.notDeepEqual(markOfRequest({ jti }, one), markOfRequest({ jti }, other))
})
