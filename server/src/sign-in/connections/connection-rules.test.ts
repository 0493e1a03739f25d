import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOfRedirect, faultsOfAddresses } from './connection-rules.ts'

const good = [
  'https://payroll.example.com/callback',
  'https://payroll.example.com',
  'https://Payroll.Example.com:8443/cb/?tenant=a%20b&list[]=1',
  "https://payroll.example.com:443/~ana/(cb);v=1,2!$'@:+",
  'https://xn--mnchen-3ya.example/cb',
  'https://payroll.example.com/caf%C3%A9',
  'http://127.0.0.1:8081/cb',
  'http://localhost/cb',
  'http://[::1]:9000/cb',
]

test('an address that an application can send is taken as it is written', () => {
  for (const address of good) assert.equal(faultOfRedirect(address), undefined, address)
})

const https = 'must be an https address without a fragment'
const asSent = (what: string) => `must not contain ${what}, and be exactly what the application sends`
const whole = 'must be a complete address, without wildcards (*)'

const refused: [address: string, message: string][] = [
  ['http://payroll.example.com/', https],
  ['https://a.example/#x', https],
  ['https://a.example/#', https],
  ['https://u:p@a.example/', https],
  ['javascript:alert(1)', https],
  ['/callback', https],
  ['', https],
  ['https://*.app.example/cb', whole],
  ['https://app.example/*', whole],
  ['https://{tenant}.app.example/cb', asSent('{')],
  ['https://app.example/{tenant}', asSent('{')],
  ['https://<host>/cb', asSent('<')],
  ['https:\\\\app.example\\cb', asSent('\\')],
  ['https://app.example/a|b', asSent('|')],
  ['https://app.example/my cb', asSent('a space')],
  [' https://app.example/cb', asSent('a space')],
  ['https://app.example/cb ', asSent('a space')],
  ['https://app.exam\nple/cb', asSent('a line break or other control character')],
  ['https://app.example/100%', asSent('a % without two hexadecimal digits after it')],
  ['https:app.example/cb', 'must be written as https://app.example/cb'],
  ['https:///app.example/cb', 'must be written as https://app.example/cb'],
  ['https://@app.example/cb', 'must be written as https://app.example/cb'],
  ['https://ap%70.example/cb', 'must be written as https://app.example/cb'],
  ['http://0x7f.1/cb', 'must be written as http://127.0.0.1/cb'],
  ['https://münchen.example/cb', 'must be written as https://xn--mnchen-3ya.example/cb'],
  ['https://münchen.example', 'must be written as https://xn--mnchen-3ya.example'],
  ['https://münchen.example/', 'must be written as https://xn--mnchen-3ya.example/'],
  ['https://app.example/café', 'must be written as https://app.example/caf%C3%A9'],
  ['https://app.example/cb?to=café', 'must be written as https://app.example/cb?to=caf%C3%A9'],
]

test('an address that no application sends as it is written is refused, with what to write', () => {
  for (const [address, message] of refused) {
    assert.equal(faultOfRedirect(address), `${message}: ${address}`, JSON.stringify(address))
  }
})

test('what is to be written is no reason for another refusal', () => {
  for (const [, message] of refused) {
    const [, written] = /^must be written as (.*)$/.exec(message) ?? []
    if (written !== undefined) assert.equal(faultOfRedirect(written), undefined, written)
  }
})

test('a start address is opened and not compared, so a browser may make an address of it', () => {
  assert.deepEqual(faultsOfAddresses({ startUrl: 'https://münchen.example/my app' }), [])
  assert.deepEqual(faultsOfAddresses({ startUrl: 'http://app.example/' }), [{ field: 'start_url', message: https }])
})
