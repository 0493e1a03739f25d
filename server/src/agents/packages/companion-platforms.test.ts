import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { computerTypes, systemNames, systemsIn } from '@muster/contract/computer-types.ts'
import type { RuntimeSystem } from '@muster/contract/packages.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { companionTypes, listCompanionPlatforms, listCompanionTypes } from './companion-platforms.ts'
import { listWantedPackages, type WantedPackage, wantedPackages } from './package-kinds.ts'

const database = testDatabase()

const platforms = { Mac: 'darwin', Windows: 'windows', Linux: 'linux' } as const
const own = { path: '/usr/bin/node', version: '24.21.0', architecture: 'x64' } as const
const added = (system: RuntimeSystem) => ({ system, node_version: '26.12.1', sha256: 'a'.repeat(64) })

for (const type of computerTypes) {
  test(`a companion is made for ${systemNames[type]} exactly where a package brings it there`, async () => {
    const wanted = await listWantedPackages(database.db)
    const isMade = wanted.some(({ agent, platform }) => agent !== 'osquery' && platform === platforms[type])
    assert.equal((await listCompanionTypes(database.db)).includes(type), isMade)
    const { data } = await listCompanionPlatforms(database.db)
    assert.equal(data.filter(({ device_type: listed }) => listed === type).length, isMade ? 1 : 0)
  })
}

const programs = (from: WantedPackage[]) =>
  from.filter(({ agent, format }) => agent === 'muster_companion' && format === 'deb')

test('a package is made for each processor that there is a Node for, and one without where devices bring theirs', () => {
  const brought = (...of: Parameters<typeof wantedPackages>) =>
    programs(wantedPackages(...of)).map(({ architecture, node_version: version, node_sha256: hash }) =>
      [architecture, version ?? 'none', hash === null ? 'own' : 'added'].join(' '),
    )
  assert.deepEqual(brought(own, []), ['x64 24.21.0 own'])
  assert.deepEqual(brought(own, [added('linux-arm64')]), ['x64 24.21.0 own', 'arm64 26.12.1 added'])
  assert.deepEqual(brought(own, [added('linux-x64')]), ['x64 26.12.1 added'])
  assert.deepEqual(brought(undefined, []), ['any none own'])
  assert.deepEqual(brought(undefined, [added('linux-x64')]), ['any none own', 'x64 26.12.1 added'])
  // Nothing is made for it yet.
  assert.deepEqual(wantedPackages(own, [added('win-x64')]), wantedPackages(own, []))
  const macs = wantedPackages(own, [added('darwin-arm64'), added('darwin-x64')]).filter(
    ({ format }) => format === 'pkg',
  )
  assert.deepEqual(
    macs.map(({ agent, platform, architecture }) => [agent, platform, architecture].join(' ')),
    ['muster_companion darwin x64', 'muster_companion darwin arm64'],
  )
})

test('systems are named as people read them', () => {
  assert.equal(systemsIn([]), '')
  assert.equal(systemsIn(['Windows']), 'Windows')
  assert.equal(systemsIn(computerTypes), 'macOS, Windows or Linux')
  assert.equal(systemsIn(['Linux', 'Mac']), 'Linux or macOS')
})

test('the guide of sign-ins lists the computers that can pass', async () => {
  const text = await readFile(new URL('../../../../docs/sign-in.md', import.meta.url), 'utf8')
  const [, table = ''] = /## Which computers can pass(.*?)\n## /s.exec(text) ?? []
  const cells = [...table.matchAll(/^\| \S.* \| (.+) \|$/gm)].map(([, cell]) => cell)
  const isOktaAlone = !companionTypes.some((type) => type !== 'Linux')
  assert.deepEqual(cells.slice(2, 4), [systemsIn(companionTypes), systemsIn(companionTypes)])
  assert.equal(cells[4]?.startsWith('none'), isOktaAlone)
})

/** Each says where a companion is missing. */
const pages = ['README.md', 'docs/sign-in.md', 'docs/sign-in/okta-posture.md', 'docs/packages.md']

for (const page of pages) {
  test(`${page} says which computers have no companion`, async () => {
    const text = await readFile(new URL(`../../../../${page}`, import.meta.url), 'utf8')
    const said = text.replaceAll(/\s+/g, ' ')
    const lacking = computerTypes.filter((type) => !companionTypes.includes(type))
    const wanted = `There is no companion for ${systemsIn(lacking)} yet`
    assert.equal(said.includes('There is no companion for'), lacking.length > 0)
    if (lacking.length > 0) assert.ok(said.includes(wanted), wanted)
  })
}
