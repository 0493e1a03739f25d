import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hostilePayloads } from '../../server/test/support/hostile-payloads.ts'
import { osqueryClient } from '../../server/test/support/osquery-client.ts'
import { visibleText } from '../src/components/visible-text.ts'
import { askAsPage, type ConsoleInBrowser, lackOfBrowser as skip, untilIdle } from './browser.ts'
import { openSignedIn } from './open-signed-in.ts'
import { visitAddress } from './visit-address.ts'

let opened: ConsoleInBrowser
const strays: string[] = []

before(async () => {
  if (skip !== false) return
  opened = await openSignedIn(12)
  const { page, trial } = opened
  page.on('dialog', (dialog) => {
    strays.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(trial.baseUrl)) strays.push(request.url())
  })
})

after(() => opened?.stop())

const perDevice = 8

/** Devices whose names, serial numbers and results are hostile: each reports eight of the texts. */
async function enrollHostileDevices(): Promise<number> {
  const { page, trial } = opened
  const { body } = await askAsPage(page, 'POST', '/session/enrollment_secrets', { name: 'hostile' })
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

  await visitAddress(page, `${trial.baseUrl}/console/devices?per=100`)
  await page.locator('[data-row-link]').nth(devices).waitFor()
  const shown = await page.locator('[data-row-link]').allTextContents()
  for (const name of names) assert.ok(shown.includes(visibleText(name)), `${JSON.stringify(name)} is in the list`)

  let seen = ''
  for (const { id } of body.data) {
    await visitAddress(page, `${trial.baseUrl}/console/devices/${id}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await untilIdle(page)
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
    // As by a link from elsewhere.
    await page.goto(`${trial.baseUrl}/console${path}`)
    await untilIdle(page)
    assert.equal(await isStruck(), false, `at ${path}`)
  }
  assert.deepEqual(strays, [], 'nothing was asked elsewhere')
  assert.deepEqual(opened.faults, [])
})

/** Ways in which Markdown could lead, load or run something; and more than anyone writes. */
const hostileMarkdown: readonly string[] = [
  hostilePayloads.join('\n\n'),
  [
    '[a](javascript:globalThis.struck=1) [b](JaVaScRiPt:globalThis.struck=1) [c](&#106;avascript:globalThis.struck=1)',
    '[d](data:text/html,<script>globalThis.struck=1</script>) [e](vbscript:x) [f](file:///etc/passwd) [g](//struck.invalid)',
    '<javascript:globalThis.struck=1> <https://struck.invalid/" onmouseover=globalThis.struck=1>',
    '![h](https://struck.invalid/h.png) ![i](data:image/svg+xml,<svg onload=globalThis.struck=1>)',
    '[j]: javascript:globalThis.struck=1\n\n[j] ![j]',
    '[k](https://halden.example/ "\u202e<img src=x onerror=globalThis.struck=1>") [l](mailto:help@halden.example)',
    '```html onload=globalThis.struck=1\n<script>globalThis.struck=1</script>\n```',
    '# <img src=x onerror=globalThis.struck=1>\n\n    <script>globalThis.struck=1</script>',
  ].join('\n\n'),
  'a '.repeat(50_000),
  `${'> '.repeat(9_000)}deep`,
  `${'- '.repeat(9_000)}deep`,
  '['.repeat(25_000),
  '*a **b '.repeat(3_500),
]

const laidOut = ['a', 'blockquote', 'br', 'code', 'em', 'h3', 'hr', 'li', 'ol', 'p', 'pre', 'strong', 'ul']

test('Markdown is laid out, and nothing in it leads, loads or runs', { skip, timeout: 280_000 }, async () => {
  const { page, trial } = opened
  const input = { name: 'Hostile texts', osquery_sql: 'SELECT 1' }
  const { body: made } = await askAsPage(page, 'POST', '/custom_check_drafts', { input })
  const { body: draft } = await askAsPage(page, 'GET', `/views/custom_check_drafts/${made.id}`)
  for (const rationale of hostileMarkdown) {
    const judgement = { ...draft.judgement, rationale, fix_instructions: 'The **end**' }
    await page.route(`**/views/custom_check_drafts/${made.id}`, (route) =>
      route.fulfill({ json: { ...draft, judgement } }),
    )
    await page.route('**/judgement', (route) => route.fulfill({ json: judgement }))
    await visitAddress(page, `${trial.baseUrl}/console/checks/drafts/${made.id}`)
    await page.locator('.markdown strong').getByText('end').waitFor()
    const found = await page.locator('.markdown').evaluateAll((places) => {
      const elements = places.flatMap((place) => [...place.querySelectorAll('*')])
      return {
        tags: [...new Set(elements.map(({ localName }) => localName))],
        addresses: [
          ...new Set(elements.map((element) => element.getAttribute('href')).filter((href) => href !== null)),
        ],
        attributes: [...new Set(elements.flatMap((element) => element.getAttributeNames()))],
      }
    })
    const what = rationale.slice(0, 40)
    assert.deepEqual(
      found.tags.filter((tag) => !laidOut.includes(tag)),
      [],
      what,
    )
    assert.deepEqual(
      found.addresses.filter((address) => !/^(https?:\/\/|mailto:)/i.test(address)),
      [],
      what,
    )
    assert.deepEqual(
      found.attributes.filter((name) => /^on|src|style/.test(name)),
      [],
      what,
    )
    assert.equal(await isStruck(), false, what)
    await page.unrouteAll()
  }
  assert.deepEqual(strays, [], 'nothing was asked elsewhere')
  assert.deepEqual(opened.faults, [])
})
