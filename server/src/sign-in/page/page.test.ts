import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { signInViews } from '../../../test/support/sign-in-views.ts'
import { detectionReasonNames, detectionReasons } from '../reasons/detection-reasons.ts'
import { drawFault, drawPage, drawRegion, drawReturnPage } from './draw-page.ts'
import { openAssets } from './page-assets.ts'

const { assets, files } = openAssets()
const names = Object.keys(signInViews)
const viewNamed = (name: string) => signInViews[name] ?? assert.fail(name)
const everyPage = () => [
  ...names.map((name) => drawPage(viewNamed(name), assets)),
  drawReturnPage(assets),
  drawFault('Start from the app again', 'It began in another browser.', assets, {
    applicationName: 'Payroll',
    startUrl: 'https://payroll.example/',
  }),
]

test('a first visit takes less than 60 kB, its script less than 12 and its font less than 25', () => {
  const sizes = [...files].map(([name, { bytes, packed }]) => ({ name, size: (packed ?? bytes).length }))
  const sizeOf = (end: string) =>
    sizes.filter(({ name }) => name.endsWith(end)).reduce((total, { size }) => total + size, 0)
  const page = Math.max(...everyPage().map((text) => brotliCompressSync(text).length))
  assert.ok(sizeOf('.js') <= 12_000, `${sizeOf('.js')} bytes of script`)
  assert.ok(sizeOf('.woff2') <= 25_000, `${sizeOf('.woff2')} bytes of font`)
  const all = page + sizeOf('.js') + sizeOf('.css') + sizeOf('.woff2')
  assert.ok(all <= 60_000, `${all} bytes in all`)
})

test('no page has a script, a style or a handler within, or anything of another site', () => {
  for (const text of everyPage()) {
    assert.doesNotMatch(text, /<script(?! type="module" src="\/signin\/assets\/)/)
    assert.doesNotMatch(text, /<style|\sstyle=|\son\w+=/)
    const [, head = ''] = /<head>(.*?)<\/head>/s.exec(text) ?? []
    assert.doesNotMatch(head, /https?:/)
  }
})

test('each state has one title, one lead and one main button at most', () => {
  for (const name of names) {
    const region = drawRegion(viewNamed(name))
    assert.equal(region.match(/<h1 tabindex="-1">/g)?.length, 1, name)
    assert.equal(region.match(/<p class="lead" role="status">/g)?.length, 1, name)
    // A form that is opened has a main button of its own.
    const open = region.replaceAll(/<details class="asking".*?<\/details>/gs, (form) => form.split('<form')[0] ?? '')
    assert.ok((open.match(/class="btn(?: sm)? p"/g)?.length ?? 0) <= 1, name)
    const words = region.replaceAll(/<code>.*?<\/code>|<[^>]+>/g, ' ')
    assert.doesNotMatch(words, /non-compliant|access denied|policy|\bagent\b|error 403|please|oops|!</i, name)
  }
})

test('where no app is made for the system, the page says so, whatever the browser met, and promises no installer', () => {
  const view = viewNamed('no-answer-no-app')
  const wordsOf = (changed: Partial<typeof view>) => drawRegion({ ...view, ...changed }).replaceAll(/<[^>]+>/g, ' ')
  for (const reason of ['agent_not_found', 'permission_denied', 'ad_blocker', 'proxy', 'unsupported'] as const) {
    const words = wordsOf({ reason })
    assert.match(words, /There’s no Muster app for macOS yet/, reason)
    assert.match(words, /You have a computer with Linux\s+Open Payroll there\./, reason)
    assert.doesNotMatch(words, /installer|Use the other way|Still looking|isn’t answering/, reason)
  }
  const running = { deviceName: 'ana-mac', at: view.now, isRunning: true }
  const known = [
    { systemsWithApp: null },
    { heardOf: running },
    { knownPort: 41_873 },
    { reason: 'proof_invalid' },
  ] as const
  for (const changed of known) {
    assert.match(wordsOf(changed), /Muster isn’t answering on this Mac/, JSON.stringify(changed))
  }
})

test('each reason is said on the page in its own words, and one that an app has answered stays', () => {
  const view = viewNamed('no-answer')
  const told = detectionReasonNames.flatMap((reason) => {
    if (reason === 'linking') return []
    const region = drawRegion({ ...view, reason })
    const [lead = ''] = /<p class="lead"[\s\S]*?<\/p>/.exec(region) ?? []
    return [{ reason, lead, stays: / data-stays="1"/.test(region) }]
  })
  assert.equal(new Set(told.map(({ lead }) => lead)).size, detectionReasonNames.length - 1)
  const { agent_outdated, proof_invalid, proof_relayed, several_devices } = detectionReasons
  assert.deepEqual(
    told.filter(({ stays }) => stays).map(({ reason }) => detectionReasons[reason]),
    [agent_outdated, proof_invalid, proof_relayed, several_devices],
  )
})

test('the script gives no reason that the server does not know', () => {
  const given = ['ask-agents.js', 'browser-facts.js', 'other-way.js', 'sign-in.js'].flatMap((name) => {
    const text = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')
    const found = text.matchAll(
      /(?:giveReason\(|refusal: |undetected'\)\(\{ reason: |refusal \?\? )(?:[^'\n,)]*\? )?'(\w+)'(?: : '(\w+)')?/g,
    )
    return [...found].flatMap(([, one, other]) => [one, other]).filter((reason) => reason !== undefined)
  })
  const unknown = given.filter((reason) => !detectionReasonNames.some((name) => name === reason))
  assert.deepEqual(unknown, [])
  assert.ok(new Set(given).size >= 6, given.join())
})

test('a page of a hint names no person, device or check', () => {
  const hinted = { ...viewNamed('looking'), personName: null, mail: null, checkNames: null }
  const text = drawPage(hinted, assets)
  for (const word of ['Ana', 'ana-ruiz', 'FileVault']) assert.equal(text.includes(word), false, word)
})

test('what is imported has the name that it is served by', () => {
  for (const [name, { bytes }] of files) {
    if (!name.endsWith('.js')) continue
    for (const [, imported = ''] of bytes.toString().matchAll(/from '\.\/([^']+)'/g)) assert.ok(files.has(imported))
  }
  assert.ok(files.has(assets.script.split('/').at(-1) ?? ''))
})

type Facts = {
  choosePath: (choice: Record<string, unknown>) => string
  reasonOf: (found: Record<string, unknown>) => string
}

/** The page's own file, as far as it runs outside of a page. */
async function pageFacts(): Promise<Facts> {
  const text = readFileSync(new URL('./assets/browser-facts.js', import.meta.url), 'utf8')
  const stub = 'const document = { querySelector: () => ({ dataset: {} }) }\n'
  return (await import(`data:text/javascript,${encodeURIComponent(stub + text)}`)) as Facts
}

test('the way to the agent is the one that asks least', async () => {
  const { choosePath } = await pageFacts()
  const path = (permission: string, more: object = {}) =>
    choosePath({ permission, mayPrompt: true, isManaged: false, mayBounce: false, ...more })
  assert.equal(path('granted'), 'fetch')
  assert.equal(path('granted', { mayBounce: true }), 'fetch')
  assert.equal(path('unsupported'), 'fetch')
  assert.equal(path('prompt', { isManaged: true }), 'fetch')
  assert.equal(path('prompt', { mayBounce: true }), 'bounce')
  assert.equal(path('prompt'), 'card')
  assert.equal(path('denied'), 'denied')
  assert.equal(path('denied', { isManaged: true }), 'denied')
  assert.equal(path('denied', { mayBounce: true }), 'bounce')
  const observing = { mayPrompt: false }
  assert.equal(path('granted', observing), 'fetch')
  assert.equal(path('prompt', observing), 'nothing')
  assert.equal(path('prompt', { ...observing, isManaged: true }), 'nothing')
  assert.equal(path('prompt', { ...observing, mayBounce: true }), 'bounce')
})

test('a reason is what the page can know', async () => {
  const { reasonOf } = await pageFacts()
  const reason = (permission: string, more: object = {}) =>
    reasonOf({ permission, isForeign: false, isWebKit: false, ...more })
  assert.equal(reason('denied'), 'permission_denied')
  assert.equal(reason('prompt'), 'permission_denied')
  assert.equal(reason('granted'), 'agent_not_found')
  assert.equal(reason('granted', { isForeign: true }), 'proxy')
  assert.equal(reason('unsupported'), 'agent_not_found')
  assert.equal(reason('unsupported', { isWebKit: true }), 'unsupported')
})
