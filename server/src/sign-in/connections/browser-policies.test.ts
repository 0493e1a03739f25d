import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserPolicyNames } from '@muster/contract/browser-policies.ts'
import { browserPolicyOf } from './browser-policies.ts'

const address = 'https://trust.example.com:8443'
const lists = ['LoopbackNetworkAllowedForUrls', 'LocalNetworkAccessAllowedForUrls']

/** Sections and values of a registry file, as regedit reads them. */
function readRegistry(text: string): Record<string, Record<string, string>> {
  const [head, ...lines] = text.split('\r\n')
  assert.equal(head, 'Windows Registry Editor Version 5.00')
  const found: Record<string, Record<string, string>> = {}
  let key = ''
  for (const line of lines.filter(Boolean)) {
    const section = /^\[(.+)\]$/.exec(line)?.[1]
    const [, name = '', value = ''] = /^"(.+)"="(.+)"$/.exec(line) ?? []
    if (section === undefined) assert.ok(name !== '', line)
    key = section ?? key
    found[key] = { ...found[key], ...(name !== '' && { [name]: value }) }
  }
  return found
}

/** What Apple's property lists are made of, as far as a profile needs it. */
function readPlist(text: string): unknown {
  const tokens = Array.from(text.matchAll(/<(\/?)(plist|dict|array|key|string|integer)[^>]*>([^<]*)/g))
  let at = 0
  const next = () => tokens[at++] ?? assert.fail('The list ends too early')
  function value(): unknown {
    const [, , tag, inner = ''] = next()
    if (tag === 'string' || tag === 'integer') {
      assert.equal(next()[1], '/')
      return tag === 'integer' ? Number(inner) : inner
    }
    const items: unknown[] = []
    while (tokens[at]?.[1] !== '/') items.push(value())
    assert.equal(next()[2], tag)
    if (tag === 'array') return items
    if (tag === 'key') return inner
    if (tag === 'plist') return items[0]
    return Object.fromEntries(items.flatMap((item, index) => (index % 2 === 0 ? [[item, items[index + 1]]] : [])))
  }
  return value()
}

test('the registry file lets Chrome and Edge on Windows reach the agent from the address, with its port', () => {
  const keys = ['Google\\Chrome', 'Microsoft\\Edge'].flatMap((browser) =>
    lists.map((list) => `HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\${browser}\\${list}`),
  )
  assert.deepEqual(
    readRegistry(browserPolicyOf('muster-chrome-edge-windows.reg', address)),
    Object.fromEntries(keys.map((key) => [key, { 1: address }])),
  )
})

type Payload = Record<string, unknown> & { PayloadUUID: string; PayloadIdentifier: string }

test('the profile has a payload for each browser of macOS, with identifiers that stay', () => {
  const text = browserPolicyOf('muster-chrome-edge.mobileconfig', `${address}/`)
  const profile = readPlist(text) as Payload & { PayloadContent: Payload[] }
  assert.equal(profile['PayloadType'], 'Configuration')
  assert.deepEqual(
    profile.PayloadContent.map((payload) => [payload['PayloadType'], ...lists.map((list) => payload[list])]),
    ['com.google.Chrome', 'com.microsoft.Edge'].map((browser) => [browser, [address], [address]]),
  )
  const ids = [profile, ...profile.PayloadContent].map(({ PayloadUUID: uuid }) => uuid)
  assert.equal(new Set(ids).size, 3)
  for (const id of ids) assert.match(id, /^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-8[0-9A-F]{3}-[0-9A-F]{12}$/)
  assert.equal(browserPolicyOf('muster-chrome-edge.mobileconfig', address), text)
  assert.notEqual(browserPolicyOf('muster-chrome-edge.mobileconfig', 'https://other.example'), text)
})

test('the JSON of Linux names the origin, and the one of Firefox the host', () => {
  assert.deepEqual(
    JSON.parse(browserPolicyOf('muster-chrome-edge.json', address)),
    Object.fromEntries(lists.map((list) => [list, [address]])),
  )
  assert.deepEqual(JSON.parse(browserPolicyOf('muster-firefox-policies.json', address)), {
    policies: { LocalNetworkAccess: { Enabled: true, EnablePrompting: true, SkipDomains: ['trust.example.com'] } },
  })
})

test('the script exempts each window of Windows and stops at the first refusal', () => {
  const lines = browserPolicyOf('muster-uwp-loopback.ps1', address).split('\r\n')
  const names = lines.flatMap((line) => /^CheckNetIsolation LoopbackExempt -a -n="([\w.]+)"$/.exec(line)?.[1] ?? [])
  assert.ok(names.includes('Microsoft.AAD.BrokerPlugin_cw5n1h2txyewy'))
  assert.equal(names.length, lines.filter((line) => line.startsWith('if ($LASTEXITCODE -ne 0)')).length)
})

test('an address of other letters is written as browsers compare it', () => {
  for (const name of browserPolicyNames) {
    const text = browserPolicyOf(name, 'https://müster.example')
    assert.ok(text.includes('xn--mster-kva.example'), name)
  }
})
