import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AddressReader, addressDoubt } from './address-doubt.ts'

const publicly = 'https://muster.acme.com/issuer/7'

test('nothing speaks against a public https address', () => {
  const readers: AddressReader[] = [{ service: 'Okta' }, 'program', { browserFrom: 'Google Workspace' }]
  for (const reader of readers) assert.equal(addressDoubt(publicly, reader), undefined)
  assert.equal(addressDoubt('', 'program'), undefined)
})

test('a service on the internet, a program and a browser each reach less than this machine', () => {
  const cases: [address: string, reader: AddressReader, doubt: string | undefined][] = [
    ['http://localhost:8080/a', { service: 'Okta' }, 'Okta cannot reach http://localhost:8080. '],
    [
      'https://muster.internal',
      { service: 'Microsoft Entra' },
      'Microsoft Entra cannot reach https://muster.internal. ',
    ],
    ['http://127.0.0.1:8080', 'program', 'A program on another machine cannot reach http://127.0.0.1:8080. '],
    ['https://10.1.2.3', 'program', 'A program outside of your network cannot reach https://10.1.2.3. '],
    ['http://muster.acme.com', 'program', 'http://muster.acme.com is not https, '],
    [
      'http://localhost:8080',
      { browserFrom: 'Okta' },
      'Browsers on other machines cannot open http://localhost:8080. ',
    ],
    ['https://muster.internal', { browserFrom: 'Google Workspace' }, undefined],
    ['http://muster.internal', { browserFrom: 'Keycloak' }, undefined],
    ['http://muster.internal', { browserFrom: undefined }, undefined],
    ['http://muster.internal', { browserFrom: 'Google Workspace' }, 'Google Workspace refuses redirect addresses '],
  ]
  for (const [address, reader, doubt] of cases) {
    const said = addressDoubt(address, reader)
    if (doubt === undefined) assert.equal(said, undefined, address)
    else assert.ok(said?.startsWith(doubt) && said.includes('MUSTER_BASE_URL'), `${address}: ${said}`)
  }
})
