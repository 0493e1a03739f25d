import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oktaSettings, oktaStream } from './okta-stream.ts'

test('an Okta organization is known by its address, also by that of its admin console', () => {
  const stream = {
    name: 'Okta',
    aud: 'https://acme.okta.com',
    spec_version: 'draft',
    delivery: {
      method: 'urn:ietf:rfc:8935',
      endpoint_url: 'https://acme.okta.com/security/api/v1/security-events',
    },
  }
  for (const url of ['https://acme.okta.com', 'acme.okta.com', ' https://ACME.okta.com/ ', 'acme-admin.okta.com']) {
    assert.deepEqual(oktaStream(url), stream, url)
  }
  assert.equal(oktaStream('https://login.acme-admin.example')?.aud, 'https://login.acme-admin.example')
  for (const url of [
    '',
    'okta',
    'http://acme.okta.com',
    'https://acme.okta.com/app',
    'https://a@acme.okta.com',
    'a b.com',
  ]) {
    assert.equal(oktaStream(url), undefined, url)
  }
})

test('Okta is told the issuer of the stream and its keys', () => {
  const [own, path] = ['https://muster.example.com', 'https://muster.example.com/ssf/2']
  assert.deepEqual(oktaSettings({ iss: own }), { issuer: own, jwksUrl: `${own}/ssf/jwks.json` })
  assert.deepEqual(oktaSettings({ iss: path }), { issuer: path, jwksUrl: `${path}/jwks.json` })
})
