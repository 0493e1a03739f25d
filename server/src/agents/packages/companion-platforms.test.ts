import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { computerTypes, noCompanionFor, systemNames, systemsIn } from '@muster/contract/computer-types.ts'
import { companionTypes, listCompanionPlatforms } from './companion-platforms.ts'
import { packageKinds } from './package-kinds.ts'

const platforms = { Mac: 'darwin', Windows: 'windows', Linux: 'linux' } as const

for (const type of computerTypes) {
  test(`a companion is made for ${systemNames[type]} exactly where a package brings it there`, () => {
    const isMade = packageKinds.some(({ agent, platform }) => agent !== 'osquery' && platform === platforms[type])
    assert.equal(companionTypes.includes(type), isMade)
    assert.equal(listCompanionPlatforms().filter(({ device_type: listed }) => listed === type).length, isMade ? 1 : 0)
  })
}

test('systems are named as people read them, and none are named where all have a companion', () => {
  assert.equal(noCompanionFor(computerTypes), undefined)
  assert.equal(noCompanionFor(['Linux']), 'There is no companion for macOS or Windows yet')
  assert.equal(noCompanionFor(['Linux'], ['Linux']), undefined)
  assert.equal(noCompanionFor([], ['Windows']), 'There is no companion for Windows yet')
  assert.equal(noCompanionFor([]), 'There is no companion for macOS, Windows or Linux yet')
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

/** Each says where a companion is missing, in the words of the console; none once nothing is missing. */
const pages = ['README.md', 'docs/sign-in.md', 'docs/sign-in/okta-posture.md', 'docs/packages.md']

for (const page of pages) {
  test(`${page} says which computers have no companion, as the console does`, async () => {
    const text = await readFile(new URL(`../../../../${page}`, import.meta.url), 'utf8')
    const said = text.replaceAll(/\s+/g, ' ')
    const wanted = noCompanionFor(companionTypes)
    if (wanted === undefined) assert.doesNotMatch(said, /There is no companion for/)
    else assert.ok(said.includes(wanted), wanted)
  })
}
