import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOfProductIssuer, wantedOptions } from './upstream-options.ts'

const tenant = '5f2c1b7a-0d3e-4f6a-8b9c-1a2b3c4d5e6f'

test('Microsoft Entra is one tenant of one of its clouds', () => {
  for (const host of ['login.microsoftonline.com', 'login.microsoftonline.us', 'login.partner.microsoftonline.cn']) {
    assert.equal(faultOfProductIssuer('entra', `https://${host}/${tenant}/v2.0`), undefined)
  }
  for (const issuer of [
    ...['common', 'organizations', 'consumers', '9188040d-6c67-4c5b-b112-36a304b66dad', 'example.com'].map(
      (name) => `https://login.microsoftonline.com/${name}/v2.0`,
    ),
    `https://login.microsoftonline.com/${tenant}`,
    `https://login.microsoftonline.com/${tenant}/v2.0/`,
    `https://login.microsoftonline.com.evil.example/${tenant}/v2.0`,
    `https://loginXmicrosoftonline.com/${tenant}/v2.0`,
    `http://login.microsoftonline.com/${tenant}/v2.0`,
    `https://sts.windows.net/${tenant}/`,
  ]) {
    assert.match(faultOfProductIssuer('entra', issuer) ?? '', /one tenant.*<tenant ID>/, issuer)
    assert.equal(faultOfProductIssuer('oidc', issuer), undefined)
  }
})

test('Microsoft Entra vouches for addresses of named domains alone', () => {
  const fault = { code: 'invalid', errors: [{ field: 'email_domains' }] }
  assert.throws(
    () => wantedOptions('entra', { name: 'Microsoft' }),
    ({ code, errors }) => {
      assert.deepEqual({ code, errors: errors.map(({ field }: { field: string }) => ({ field })) }, fault)
      return true
    },
  )
  assert.deepEqual(wantedOptions('entra', { name: 'Microsoft', emailDomains: ['Example.com'] }).email_domains, [
    'example.com',
  ])
  assert.deepEqual(wantedOptions('okta', { name: 'Okta' }).email_domains, [])
})
