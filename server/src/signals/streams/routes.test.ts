import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'

const app = testApp()

test('getSsfKeys: the public halves of the keys, without a key of the API, for as long as receivers may keep them', async () => {
  await app.ask('POST', '/ssf_streams', { body: { name: 'Okta' } })
  const { status, body, headers } = await app.ask('GET', '/ssf/jwks.json', { key: undefined })
  assert.equal(status, 200)
  assert.equal(headers['cache-control'], 'public, max-age=3600')
  const [key] = body.keys
  assert.deepEqual(body, {
    keys: [{ kty: 'RSA', kid: key.kid, use: 'sig', alg: 'RS256', n: key.n, e: 'AQAB' }],
  })
  assert.equal(Buffer.from(key.n, 'base64url').length, 256)
})
