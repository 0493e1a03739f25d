import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { lookAtBrowsers } from './look-at-browsers.ts'

const origin = 'https://muster.example.com'

/** A folder in place of the root of a Linux machine, with these files. */
function linux(t: TestContext, files: Record<string, unknown>) {
  const root = mkdtempSync(join(tmpdir(), 'muster-browsers-'))
  t.after(() => rmSync(root, { recursive: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(root + path), { recursive: true })
    writeFileSync(root + path, typeof content === 'string' ? content : JSON.stringify(content))
  }
  return async () => {
    const rows = await lookAtBrowsers({ platform: 'linux', origin, ask: async () => undefined, root })
    return rows.map(({ what, found, verdict }) => `${what}: ${found} (${verdict})`)
  }
}

const chrome = '/opt/google/chrome/chrome'
const managed = '/etc/opt/chrome/policies/managed'

test('a browser of Linux is told with what its policy says of this server', async (t) => {
  const words: [unknown, string][] = [
    [{}, 'no policy: asks each person once (ok)'],
    [{ LoopbackNetworkAllowedForUrls: [origin] }, 'allowed by LoopbackNetworkAllowedForUrls: asks nobody (ok)'],
    [
      { LocalNetworkAccessAllowedForUrls: ['https://[*.]example.com'] },
      'allowed by LocalNetworkAccessAllowedForUrls: asks nobody (ok)',
    ],
    [
      { LoopbackNetworkAllowedForUrls: ['https://other.example.com'] },
      'LoopbackNetworkAllowedForUrls do not name this server: asks each person once (ok)',
    ],
    [
      { LoopbackNetworkAllowedForUrls: [origin], LoopbackNetworkBlockedForUrls: ['*'] },
      'blocked by LoopbackNetworkBlockedForUrls (look)',
    ],
    ['{ half', 'no policy: asks each person once (ok)'],
    [{ LoopbackNetworkAllowedForUrls: 'no list' }, 'no policy: asks each person once (ok)'],
  ]
  for (const [policy, said] of words) {
    assert.deepEqual(await linux(t, { [chrome]: '', [`${managed}/muster.json`]: policy })(), [`Chrome: ${said}`])
  }
})

test('of two files the later counts, Firefox is told by hosts, and a machine may have no browser', async (t) => {
  const other = { LoopbackNetworkAllowedForUrls: ['https://other.example.com'] }
  const two = { [`${managed}/a.json`]: other, [`${managed}/b.json`]: { LoopbackNetworkAllowedForUrls: [origin] } }
  assert.match((await linux(t, { [chrome]: '', ...two })())[0] ?? '', /: allowed by/)
  const firefox = { policies: { LocalNetworkAccess: { Enabled: true, SkipDomains: ['muster.example.com'] } } }
  const files = { '/usr/bin/firefox-esr': '', '/etc/firefox/policies/policies.json': firefox }
  assert.deepEqual(await linux(t, files)(), ['Firefox: allowed by SkipDomains: asks nobody (ok)'])
  assert.deepEqual(await linux(t, {})(), ['Browsers: none of those that are known here (unknown)'])
})

// Rows by osquery's specifications of apps and plist, in which a list has a row for each member; none was recorded on a Mac.
test('the browsers of a Mac are told by osquery, with their versions and the policies of an MDM', async () => {
  const apps = [
    { bundle_identifier: 'com.google.Chrome', bundle_short_version: '152.0.7977.61' },
    { bundle_identifier: 'org.mozilla.firefox', bundle_short_version: '151.0' },
    { bundle_identifier: 'com.apple.Safari', bundle_short_version: '26.5' },
  ]
  const lists: Record<string, Record<string, string>[]> = {
    'com.google.Chrome': [
      { key: 'HomepageLocation', subkey: '', value: 'https://muster.example.com' },
      { key: 'LoopbackNetworkAllowedForUrls', subkey: '', value: 'https://other.example.com' },
      { key: 'LoopbackNetworkAllowedForUrls', subkey: '', value: origin },
    ],
    'org.mozilla.firefox': [{ key: 'LocalNetworkAccess', subkey: 'SkipDomains', value: 'muster.example.com' }],
  }
  const ask = async (sql: string) =>
    sql.includes('FROM apps') ? apps : (lists[/Preferences\/(.+)\.plist/.exec(sql)?.[1] ?? ''] ?? [])
  const told = async (by: typeof ask | (() => Promise<undefined>)) =>
    (await lookAtBrowsers({ platform: 'darwin', origin, ask: by })).map(({ what, found }) => `${what}: ${found}`)
  assert.deepEqual(await told(ask), [
    'Chrome 152.0.7977.61: allowed by LoopbackNetworkAllowedForUrls: asks nobody',
    'Firefox 151.0: allowed by SkipDomains: asks nobody',
    'Safari 26.5: has no policy for it: tries, and else goes by its address bar',
  ])
  assert.deepEqual(await told(async () => undefined), ['Browsers: unknown: osquery does not answer'])
})

test('on Windows nothing is looked for, which is said', async () => {
  const rows = await lookAtBrowsers({ platform: 'win32', origin, ask: async () => undefined })
  assert.deepEqual(rows, [{ what: 'Browsers', found: 'not looked for on this system', verdict: 'unknown' }])
})
