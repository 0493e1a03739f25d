import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { osqueryClient } from '../../server/test/support/osquery-client.ts'
import { visibleText } from '../src/components/visible-text.ts'
import { askAsPage, type ConsoleInBrowser, openConsole, setUpAdmin, lackOfBrowser as skip } from './browser.ts'
import { hostilePayloads } from './hostile-payloads.ts'

let opened: ConsoleInBrowser
const strays: string[] = []

before(async () => {
  if (skip !== false) return
  opened = await openConsole(1)
  const { page, trial } = opened
  page.on('dialog', (dialog) => {
    strays.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(trial.baseUrl)) strays.push(request.url())
  })
  await setUpAdmin(opened)
})

after(() => opened?.stop())

const perDevice = 8

/** Devices whose names, serial numbers and results are hostile: each reports eight of the texts. */
async function enrollHostileDevices(): Promise<number> {
  const { page, trial } = opened
  const { body } = await askAsPage(page, 'POST', '/session/enrolment_secrets', { name: 'hostile' })
  let devices = 0
  for (let first = 0; first < hostilePayloads.length; first += perDevice) {
    const texts = hostilePayloads.slice(first, first + perDevice)
    const agent = osqueryClient(trial.baseUrl)
    const uuid = `4C4C4544-0042-3510-8056-${String(first).padStart(12, '0')}`
    const hostname = texts[0] ?? ''
    const verdict = await agent.enroll(body.secret, { uuid, serial: texts[1] ?? '', hostname })
    assert.ok(verdict.accepted, verdict.text)
    const rows = texts.map((text, index) => ({
      KOLIDE_CHECK_STATUS: 'FAIL',
      path: `${index} ${text}`,
      [text.slice(0, 60)]: text,
    }))
    await agent.answerAll(() => ({ rows }))
    agent.close()
    devices += 1
  }
  return devices
}

const isStruck = () => opened.page.evaluate(() => 'struck' in globalThis)

test('what devices report is shown as text, whatever it is', { skip, timeout: 280_000 }, async () => {
  assert.equal(new Set(hostilePayloads).size, 200)
  const devices = await enrollHostileDevices()
  const { page, trial } = opened
  const { body } = await askAsPage(page, 'GET', '/devices?per_page=100')
  const names: string[] = body.data.map(({ name }: { name: string }) => name)
  assert.equal(
    names.filter((name) => /struck/i.test(name)).length,
    devices,
    'the names are as hostile as they were sent',
  )

  await page.goto(`${trial.baseUrl}/console/devices?per=100`)
  await page.locator('[data-row-link]').nth(devices).waitFor()
  const shown = await page.locator('[data-row-link]').allTextContents()
  for (const name of names) assert.ok(shown.includes(visibleText(name)), `${JSON.stringify(name)} is in the list`)

  let seen = ''
  for (const { id } of body.data) {
    await page.goto(`${trial.baseUrl}/console/devices/${id}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    for (const expander of await page.locator('main [aria-expanded="false"]').all()) await expander.click()
    seen += (await page.locator('main').textContent()) ?? ''
    assert.equal(await isStruck(), false, `on the page of device ${id}`)
  }
  assert.match(seen, /<script>globalThis\.struck=1<\/script>/)

  const search = encodeURIComponent(hostilePayloads[1] ?? '')
  for (const path of [
    ...[
      '/',
      `/devices?q=${search}`,
      `/devices?state=${search}`,
      `/checks?q=${search}`,
      `/issues?q=${search}`,
      '/people',
    ],
    ...[`/audit?q=${search}`, '/sign-ins', `/sign-in?next=${encodeURIComponent('javascript:globalThis.struck=1')}`],
    ...[`/devices/${search}`, `/checks/1?tab=${search}`, `/settings/developers/streams/${search}`],
  ]) {
    await page.goto(`${trial.baseUrl}/console${path}`)
    await page.waitForLoadState('networkidle')
    assert.equal(await isStruck(), false, `at ${path}`)
  }
  assert.deepEqual(strays, [], 'nothing was asked elsewhere')
  assert.deepEqual(opened.faults, [])
})
