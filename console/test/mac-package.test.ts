import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CompanionPlatforms } from '@muster/contract/companion-platforms.ts'
import type { Package } from '@muster/contract/packages.ts'
import { lackOfBrowser as skip } from './browser.ts'
import { keepPicture } from './keep-pictures.ts'
import { faultsOnPhone, violations } from './look.ts'
import { page, visit, withConsole } from './signed-in.ts'

withConsole(12)

const listed = /\/console\/api\/packages\?/
const platforms = '**/views/companion_platforms'

after(async () => {
  for (const place of [listed, platforms]) await page?.unroute(place).catch(() => {})
})

test('a Mac’s companion is downloaded, installed and looked at in three steps, which say what was not tried', {
  skip,
}, async () => {
  const needs = { arm64: 'macOS 13.5 or later on Apple silicon', x64: 'macOS 13.5 or later on Intel' } as const
  const nodes = (['x64', 'arm64'] as const).map((architecture) => ({ architecture, needs: needs[architecture] }))
  const every = { architecture: 'any', needs: `${needs.arm64} or Intel` } as const
  const answer: CompanionPlatforms = { data: [{ device_type: 'Mac', nodes: [...nodes, every] }], missing: [] }
  await page.route(platforms, (route) => route.fulfill({ json: answer }))
  await page.route(listed, async (route) => {
    const body = await (await route.fetch()).json()
    const own = body.data as Package[]
    const made = nodes.map(({ architecture }, at) => ({
      ...own[0],
      ...{ id: `90${at}`, agent: 'muster_companion', platform: 'darwin', format: 'pkg', architecture },
      ...{ node_version: '26.10.0', problem: null },
      file_name: `muster-companion-0.1.0-1-macos-${architecture === 'x64' ? 'x86_64' : 'arm64'}.pkg`,
    }))
    const script = {
      ...{ ...made[0], id: '910', format: 'sh', architecture: 'any', node_version: null },
      file_name: 'muster-companion-0.1.0-1-macos.sh',
    }
    await route.fulfill({ json: { ...body, data: [...own, ...made, script] } })
  })
  await visit('/devices/enroll?platform=Mac&agent=muster_companion')
  const said = (text: string | RegExp) => page.getByText(text).first()
  await page.getByLabel('Format').selectOption({ label: 'Companion, .pkg, arm64' })
  await said('sudo installer -pkg muster-companion-0.1.0-1-macos-arm64.pkg -target /').waitFor()
  await said('Brings Node 26.10.0. Needs macOS 13.5 or later on Apple silicon.').waitFor()
  await said('Not tried on a Mac yet.').waitFor()
  await said('sudo /opt/muster-companion/muster-companion status').waitFor()
  await said('sudo sh /opt/muster-companion/uninstall.sh').waitFor()
  assert.deepEqual(await faultsOnPhone(page), [])
  assert.deepEqual(await violations(page), [])
  await keepPicture(page, '/mac-package')
  const where = page.getByRole('row', { name: /^Intune, shell script/ })
  assert.match((await where.textContent()) ?? '', /no, it is too large.*yes, as root/)
  await page.getByLabel('Format').selectOption({ label: 'Companion, .sh' })
  await said('sudo sh muster-companion-0.1.0-1-macos.sh').waitFor()
  await said(/Needs macOS 13\.5 or later on Apple silicon or Intel\./).waitFor()
  await said(/downloads about 50 MB from this server/).waitFor()
  assert.equal(await page.getByText('until you sign it').count(), 0)
  assert.deepEqual(await faultsOnPhone(page), [])
  assert.deepEqual(await violations(page), [])
  await keepPicture(page, '/mac-script')
  // osquery's script for the same Mac has none of that.
  await page.getByLabel('Format').selectOption({ label: 'osquery, .sh' })
  await said('osqueryctl status').waitFor()
  assert.equal(await page.getByText('Not tried on a Mac yet.').count(), 0)
  assert.equal(await page.getByText('uninstall.sh').count(), 0)
})
