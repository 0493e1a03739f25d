import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oktaDoubt, oktaSettings, oktaStream } from './okta-stream.ts'

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

test('Okta reaches public https addresses only', () => {
  for (const iss of [
    'https://muster.acme.com',
    'https://muster.acme.com:8443/ssf/7',
    'https://1.2.3.4',
    'https://172.15.0.1',
  ]) {
    assert.equal(oktaDoubt({ iss }), undefined, iss)
  }
  for (const iss of [
    ...['http://localhost:8080', 'https://localhost', 'http://muster.acme.com', 'https://muster', 'https://127.0.0.1'],
    ...['https://10.1.2.3', 'https://172.16.0.1', 'https://192.168.1.1', 'https://[::1]', 'https://mac.local'],
  ]) {
    assert.match(
      oktaDoubt({ iss }) ?? '',
      /^Okta cannot reach http.+ Set MUSTER_BASE_URL to a public https address/,
      iss,
    )
  }
})
