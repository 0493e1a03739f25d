import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CompanionPlatforms } from '@muster/contract/companion-platforms.ts'
import type { Package } from '@muster/contract/packages.ts'
import type { Route } from 'playwright-core'
import { askAsPage, lackOfBrowser as skip } from './browser.ts'
import { keepPicture } from './keep-pictures.ts'
import { faultsOnPhone, violations } from './look.ts'
import { page, visit, withConsole } from './signed-in.ts'

withConsole(12)

const listed = /\/console\/api\/packages\?/
const platforms = '**/views/companion_platforms'
const download = '**/console/api/package_downloads/*'
const lack = 'This server has no Node for linux-arm64: run muster packages add-runtime linux-arm64 on it.'
const command = 'muster packages add-runtime linux-arm64'
const missing: CompanionPlatforms['missing'] = [
  { device_type: 'Linux', architecture: 'arm64', node_version: '26.12.1', command },
]
const needs = { x64: 'glibc 2.28 or later on x64', arm64: 'glibc 2.28 or later and libatomic on arm64' } as const
const debian = { any: 'all', x64: 'amd64', arm64: 'arm64' } as const

type Processor = keyof typeof debian

after(async () => {
  for (const place of [listed, platforms, download]) await page?.unroute(place).catch(() => {})
})

/** The programs of the server's own packages, one of each kind for each of these processors. */
const forProcessors = (own: readonly Package[], processors: readonly Processor[], problems: Partial<typeof needs>) => {
  const kinds = new Map(own.filter(({ agent }) => agent !== 'osquery').map((one) => [one.agent + one.format, one]))
  return processors.flatMap((architecture, at) =>
    [...kinds.values()].map((one) => ({
      ...one,
      id: `${900 + at}${one.id}`,
      architecture,
      node_version: architecture === 'any' ? null : '26.12.1',
      file_name: one.file_name.replace(/amd64|arm64|all/, debian[architecture]),
      problem: architecture === 'any' ? null : (problems[architecture] ?? null),
    })),
  )
}

type Served = { processors: readonly Processor[]; answer: CompanionPlatforms; problems?: object }

/** The programs of arm64 come last, as where a Node was added later. */
async function serve({ processors, answer, problems = {} }: Served): Promise<void> {
  for (const place of [listed, platforms]) await page.unroute(place)
  await page.route(platforms, (route) => route.fulfill({ json: answer }))
  await page.route(listed, async (route: Route) => {
    const body = await (await route.fetch()).json()
    const own = (body.data as Package[]).map((one) => ({ ...one, problem: null }))
    const data = [...own.filter(({ agent }) => agent === 'osquery'), ...forProcessors(own, processors, problems)]
    await route.fulfill({ json: { ...body, data } })
  })
}

const node = (architecture: 'x64' | 'arm64') => ({ architecture, needs: needs[architecture] })
const linux = (...nodes: CompanionPlatforms['data'][number]['nodes']) => [{ device_type: 'Linux' as const, nodes }]

const options = () => page.getByLabel('Format').locator('option').allTextContents()
const said = (text: string | RegExp) => page.getByText(text).first()

/** As it stands, in pictures of both widths that show all of it. */
async function look(name: string): Promise<void> {
  assert.deepEqual(await faultsOnPhone(page), [])
  await page.setViewportSize({ width: 390, height: 1_600 })
  await keepPicture(page, `/processors-${name}`)
  await page.setViewportSize({ width: 1440, height: 1_300 })
  assert.deepEqual(await violations(page), [])
  await keepPicture(page, `/processors-${name}`)
  await page.setViewportSize({ width: 1440, height: 900 })
}

test('a server of one processor names it, and says what brings packages for the other', { skip }, async () => {
  await serve({ processors: ['x64'], answer: { data: linux(node('x64')), missing } })
  await visit('/devices/enroll')
  await said('For the companion on arm64 computers, run this on the server. It adds Node 26.12.1:').waitFor()
  await page.getByText(command, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Copy the command for arm64 computers' }).waitFor()
  await look('missing')
  assert.deepEqual(await options(), [
    ...['osquery, .deb', 'osquery, .tar.gz', 'Companion, .deb, x64', 'Companion, .tar.gz, x64'],
    ...['Bundled agent, .deb, x64', 'Bundled agent, .tar.gz, x64'],
  ])
  assert.equal(await page.getByText(/Brings Node/).count(), 0, 'osquery brings none')
  await page.getByLabel('Format').selectOption({ label: 'Companion, .deb, x64' })
  await said('Brings Node 26.12.1. Needs glibc 2.28 or later on x64.').waitFor()
  await page.getByLabel('macOS').check()
  await said('This server makes no companion for macOS yet').waitFor()
  assert.equal(await page.getByText(/run this on the server/).count(), 0)
})

test('a server of both processors offers packages for each, and asks for nothing', { skip }, async () => {
  await serve({ processors: ['x64', 'arm64'], answer: { data: linux(node('x64'), node('arm64')), missing: [] } })
  await visit('/devices/enroll')
  await page.getByLabel('Format').selectOption({ label: 'Companion, .deb, arm64' })
  const companions = ['Companion, .deb, x64', 'Companion, .deb, arm64', 'Companion, .tar.gz, x64']
  assert.deepEqual((await options()).slice(2, 5), companions)
  await said(/^sudo dpkg -i muster-companion_.*_arm64\.deb$/).waitFor()
  await said('Brings Node 26.12.1. Needs glibc 2.28 or later and libatomic on arm64.').waitFor()
  assert.equal(await page.getByText(/run this on the server/).count(), 0)
  await look('both')
  await page.getByLabel('Format').selectOption({ label: 'Bundled agent, .tar.gz, x64' })
  await said('Brings Node 26.12.1. Needs glibc 2.28 or later on x64.').waitFor()
})

test('a package that brings no Node says which the device has to have', { skip }, async () => {
  const own = 'Node on the device: 22 or later for the companion, 24 or later for the bundled agent'
  await serve({ processors: ['any'], answer: { data: linux({ architecture: 'any', needs: own }), missing: [] } })
  await visit('/devices/enroll')
  await page.getByLabel('Format').selectOption({ label: 'Companion, .deb' })
  await said(`Needs ${own}.`).waitFor()
  assert.equal(await page.getByText(/Brings Node/).count(), 0)
})

test('a Mac whose companion needs a Node on the server: the page says how to add it', { skip }, async () => {
  const macs = (['x64', 'arm64'] as const).map((architecture) => ({
    ...{ device_type: 'Mac' as const, architecture, node_version: '26.10.0' },
    command: `muster packages add-runtime darwin-${architecture}`,
  }))
  await serve({ processors: ['x64'], answer: { data: linux(node('x64')), missing: [...macs, ...missing] } })
  const counts = { computers: 9, linked: 0, linking: 0, none: 9, seen_twice: 0, without_device: 0 }
  const by_type = [
    { device_type: 'Mac', computers: 7, none: 7 },
    { device_type: 'Windows', computers: 2, none: 2 },
  ]
  await page.route('**/views/companion_summary', (route) => route.fulfill({ json: { ...counts, by_type } }))
  await visit('/devices/enroll?platform=Mac')
  await said('This server makes no companion for macOS yet.').waitFor()
  for (const { architecture, command: toAdd } of macs) {
    await said(
      `For the companion on ${architecture} computers, run this on the server. It adds Node 26.10.0:`,
    ).waitFor()
    await page.getByText(toAdd, { exact: true }).waitFor()
  }
  assert.equal(await page.getByText(command, { exact: true }).count(), 0, 'that is for Linux')
  await said(/This server makes no companion for macOS or Windows yet: 9 computers are refused/).waitFor()
  await look('mac')
  await page.unroute('**/views/companion_summary')

  const [device] = (await askAsPage(page, 'GET', '/devices?query=device_type:Mac&per_page=1')).body.data
  await visit(`/devices/${device.id}`)
  const facts = page.getByRole('region', { name: 'Companion' })
  await facts
    .getByText('This server makes no companion for macOS yet: a connection that enforces refuses it.')
    .waitFor()
  assert.deepEqual(await violations(page), [])
  await facts.getByRole('link', { name: 'See what to run on the server' }).click()
  await page.getByText('muster packages add-runtime darwin-arm64', { exact: true }).waitFor()
})

test('a package whose Node was removed says so, and its download says what to run', { skip }, async () => {
  const answer = { data: linux(node('x64')), missing }
  await serve({ processors: ['x64', 'arm64'], answer, problems: { arm64: lack } })
  const refusal = { error: 'unavailable', message: lack, errors: [] }
  await page.route(download, (route) => route.fulfill({ status: 503, json: refusal }))
  await visit('/settings/enrollment')
  const row = page.getByRole('row', { name: /Companion for Linux, arm64, \.deb/ })
  await row.getByText(lack).waitFor()
  assert.equal(await page.getByText(lack).count(), 4)
  const other = page.getByRole('row', { name: /Companion for Linux, x64, \.deb/ })
  await other.getByText(/^muster-companion_.*_amd64\.deb$/).waitFor()
  await look('settings')
  const toasts = page.locator('.toast', { hasText: lack })
  await page.getByRole('button', { name: 'Download Companion for Linux, arm64, .deb' }).click()
  await toasts.first().waitFor()
  await keepPicture(page, '/processors-settings-toast')

  await visit('/devices/enroll')
  await page.getByLabel('Format').selectOption({ label: 'Companion, .deb, arm64' })
  await said(lack).waitFor()
  assert.equal(await page.getByText(/Brings Node/).count(), 0, 'the server has none')
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  await toasts.first().waitFor()
  await look('removed')
})
