import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { suspendRegistration } from '../../server/src/administration/registrations/suspend-registration.ts'
import { unregisterDevice } from '../../server/src/administration/registrations/unregister-device.ts'
import { decideRegistrationRequest } from '../../server/src/administration/requests/decide-registration-request.ts'
import { linkCompanion } from '../../server/src/agents/companion-keys/link-companion.ts'
import { systemChange } from '../../server/src/base/change-context.ts'
import { transact } from '../../server/src/base/db/transact.ts'
import { lockDevice } from '../../server/src/inventory/devices/lock-device.ts'
import { until } from '../../server/test/support/muster-process.ts'
import { deadlineMs, lackOfBrowser as skip } from './browser.ts'
import { goBackFromError } from './go-back-from-error.ts'
import { signInStage, untilInApp } from './sign-in-stage.ts'

const { stage, make, setUp, startAgent, addKey } = signInStage()

const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()

type SetUp = Awaited<ReturnType<typeof setUp>>

/** A check that blocks at once, and that the device of the sign-in fails. */
async function failCheck({ organizationId, device }: SetUp, columns: object = {}) {
  const check = await make.check(organizationId, {
    name: 'A host firewall is active',
    issue_title: 'No firewall is active',
    rationale_template: 'Others on the network can reach this computer.',
    fix_instructions_template: '### Debian\n\n1. Turn it on: `sudo ufw enable`.\n\n### Fedora\n\n1. Ask.',
    configuration: { remediation_strategy: 'block_immediately' },
    ...columns,
  })
  await make.result({ device, check, rows: 'FAIL', at: stage.now() })
  return check
}

function pass(seconds: number): void {
  stage.setNow(new Date(Date.parse(stage.now()) + seconds * 1_000).toISOString())
}

const eventsOf = async () =>
  (await stage.db.selectFrom('auth_log_events').select('type').orderBy('position').execute()).map(({ type }) => type)

test('where the browser allows it, a good device passes without a click', { skip }, async () => {
  const { page, key, arrive, faults } = await setUp()
  await startAgent(key)
  await arrive()
  await untilInApp(page)
  assert.match(page.url(), /code=/)
  assert.deepEqual(faults, [])
})

test('nothing is asked before the page has said what the browser will ask', { skip }, async () => {
  const { page, key, arrive, asked, setPermission, faults } = await setUp({ permission: 'prompt' })
  await startAgent(key)
  await arrive()
  await title(page, 'Chrome will ask you once')
  assert.equal(await page.title(), 'Chrome will ask you once · Payroll')
  assert.deepEqual(asked, [])
  await press(page, 'Continue, then choose Allow')
  await until(deadlineMs, () => Promise.resolve(asked.length > 0))
  await setPermission('granted')
  await untilInApp(page)
  assert.deepEqual(faults, [])
})

test('a permission that is given elsewhere is noticed', { skip }, async () => {
  const { page, key, arrive, setPermission } = await setUp({ permission: 'prompt' })
  await startAgent(key)
  await arrive()
  await title(page, 'Chrome will ask you once')
  await setPermission('granted')
  await untilInApp(page)
})

test('a browser that blocks the question is named, and the other way passes', { skip }, async () => {
  const { page, key, arrive, asked, faults } = await setUp({ permission: 'denied' })
  await startAgent(key)
  await arrive()
  await title(page, 'Muster isn’t answering on this computer')
  await page.getByText('Chrome is blocking it: Allow wasn’t chosen.').waitFor()
  assert.deepEqual(asked, [])
  await press(page, 'Use the other way')
  await untilInApp(page)
  assert.deepEqual(faults, [])
})

test('an agent that does not run is named as the reason, and found once it does', { skip }, async () => {
  const { page, key, arrive } = await setUp()
  await arrive()
  await title(page, 'Checking this computer')
  await page.getByText('Still looking for Muster on this computer.').waitFor()
  await title(page, 'Muster isn’t answering on this computer')
  await page.getByText('It’s probably not installed, or turned off.').waitFor()
  await page.getByText('Details for IT').click()
  const details = (await page.locator('[data-details]').textContent()) ?? ''
  assert.match(
    details,
    /^Code {9}\w{4}-\w\w\nReason {7}agent_not_found\nBrowser {6}Chrome \d+ on Linux\nPermission {3}granted/,
  )
  assert.match(details, /Asked {8}3 of 3 ports refused in \d+ ms\nOther way {4}not tried\nTime/)
  assert.doesNotMatch(details, /ana/i)
  assert.ok((await eventsOf()).includes('agent_detection_failure'))
  await startAgent(key)
  await untilInApp(page)
})

test('Back from another way that did not answer says so', { skip }, async () => {
  const { page, arrive } = await setUp({ permission: 'denied' })
  await arrive()
  await press(page, 'Use the other way')
  await goBackFromError(page)
  await page.getByText('Chrome is blocking it').waitFor()
  await page.getByText('Details for IT').click()
  assert.match((await page.locator('[data-details]').textContent()) ?? '', /Other way {4}no answer at \d+\n/)
})

test('an agent whose proofs fail needs a repair', { skip }, async () => {
  const { page, key, arrive } = await setUp()
  await startAgent(key, { isBroken: true })
  await arrive()
  await page.getByText('Muster answered, but needs a repair.').waitFor()
})

test('every agent is asked with a challenge of its own, and their proofs are handed over together', {
  skip,
}, async () => {
  const { page, key, arrive, organizationId } = await setUp()
  const other = await make.device(organizationId, { name: 'a virtual machine' })
  await startAgent(await addKey(other.id))
  await startAgent(key)
  const handed = page.waitForRequest(/\/proof$/)
  await arrive()
  const { proofs } = (await handed).postDataJSON() as { proofs: string[] }
  const claims = proofs.map((proof) => JSON.parse(Buffer.from(proof.split('.')[1] ?? '', 'base64url').toString()))
  assert.equal(new Set(claims.map(({ challenge_hash: hash }) => hash)).size, 2)
})

test('a blocked device says what to do, and passes without another click once it is fixed', { skip }, async () => {
  const all = await setUp()
  const { page, device } = all
  const check = await failCheck(all)
  const other = await failCheck(all, { name: 'The disk is encrypted', issue_title: 'The disk is not encrypted' })
  await startAgent(all.key)
  await all.arrive()
  await title(page, 'Fix 2 things to open Payroll')
  assert.equal(await page.title(), 'Fix 2 things · Payroll')
  await page.getByText('No firewall is active').waitFor()
  assert.equal(await page.locator('.cmd code').first().textContent(), 'sudo ufw enable')
  assert.equal(await page.locator('.os').first().textContent(), 'Steps for Debian')
  pass(5)
  await press(page, 'Check again')
  await title(page, 'Checking again')
  assert.equal(await page.getByRole('button', { name: 'Checking…' }).getAttribute('aria-disabled'), 'true')
  pass(1)
  await make.result({ device, check, rows: 'PASS', at: stage.now() })
  await title(page, '1 fixed, checking the other')
  await page.getByRole('heading', { level: 2, name: 'A host firewall is active' }).waitFor()
  assert.equal(await page.locator('#news').textContent(), 'A host firewall is active. Fixed.')
  pass(1)
  await make.result({ device, check: other, rows: 'PASS', at: stage.now() })
  await untilInApp(page)
  assert.deepEqual(all.faults, [])
})

test('what is still wrong after a check says when that was', { skip }, async () => {
  const all = await setUp()
  const { page, device } = all
  const check = await failCheck(all)
  await startAgent(all.key)
  await all.arrive()
  await title(page, 'Fix 1 thing to open Payroll')
  pass(5)
  await press(page, 'Check again')
  await title(page, 'Checking again')
  pass(2)
  await make.result({ device, check, rows: [{ KOLIDE_CHECK_STATUS: 'FAIL', seen: 'again' }], at: stage.now() })
  // As the server does with what an agent has answered.
  await stage.db.deleteFrom('check_refreshes').execute()
  await title(page, 'Fix 1 thing to open Payroll')
  await page.getByText(/^Not fixed at \d+:\d\d/).waitFor()
})

test('a snooze lets the page continue; a check that allows none offers none', { skip }, async () => {
  const all = await setUp()
  const { page } = all
  await failCheck(all)
  await startAgent(all.key)
  await all.arrive()
  await press(page, 'Snooze for 24 hours')
  await untilInApp(page)
  assert.ok((await eventsOf()).includes('issue_snoozed'))
  const strict = await setUp()
  await failCheck(strict, {
    configuration: {
      remediation_strategy: 'block_immediately',
      snooze_disallowed: true,
      exemptions_disallowed: true,
    },
  })
  await startAgent(strict.key)
  await strict.arrive()
  await title(strict.page, 'Fix 1 thing to open Payroll')
  assert.equal(await strict.page.getByText(/Snooze|exemption/).count(), 0)
})

test('an exemption is asked for on the page, which keeps what is being written', { skip }, async () => {
  const all = await setUp()
  const { page, device } = all
  const check = await failCheck(all)
  await startAgent(all.key)
  await all.arrive()
  await page.getByText('Ask for an exemption…').click()
  const field = page.getByLabel('Why does this computer need an exemption?')
  await field.pressSequentially('It is a lab')
  pass(3)
  await make.result({ device, check, rows: [{ KOLIDE_CHECK_STATUS: 'FAIL', seen: 'again' }], at: stage.now() })
  await field.pressSequentially(' computer.')
  assert.equal(await field.inputValue(), 'It is a lab computer.')
  await press(page, 'Send to IT')
  await page.getByText(/With IT since \d+:\d\d/).waitFor()
  const asked = await stage.db.selectFrom('exemption_requests').select(['requester_message', 'status']).execute()
  assert.deepEqual(asked, [{ requester_message: 'It is a lab computer.', status: 'open' }])
  await press(page, 'Withdraw')
  await page.getByText('Ask for an exemption…').click()
  await field.fill('Once more.')
  await press(page, 'Send to IT')
  await page.getByText(/With IT since/).waitFor()
  await stage.db
    .updateTable('exemption_requests')
    .where('status', '=', 'open')
    .set({ status: 'denied', denial_explanation: 'Not this one.', decided_at: stage.now() })
    .execute()
  await page.getByText('IT said no: “Not this one.”').waitFor()
})

test('a first device is registered with a click', { skip }, async () => {
  const { page, key, arrive } = await setUp({ isRegistered: false })
  await startAgent(key)
  await arrive()
  await title(page, 'Register this computer to ana@example.com?')
  await page.getByText('ends in 9LMD').waitFor()
  await page.getByText('Ana Ruiz, ana@example.com').waitFor()
  await press(page, 'No, it isn’t mine')
  await page.getByRole('heading', { name: 'Open Payroll on your own computer' }).waitFor()
  await press(page, 'Back')
  await press(page, 'Yes, register it to me')
  await untilInApp(page)
})

test('a computer that was taken from its owner is asked for, withdrawn, and opens once IT approves', {
  skip,
}, async () => {
  const all = await setUp()
  const { page, organizationId, device, key, arrive } = all
  const context = () => systemChange(organizationId, stage.now())
  await transact(stage.db, (tx) => unregisterDevice(tx, { deviceId: device.id }, context()))
  await startAgent(key)
  await arrive()
  await title(page, 'IT has to approve this computer')
  await page.getByText('IT ended its registration to you.').waitFor()
  const why = page.getByLabel('Why do you need this computer?')
  await why.fill('It is mine.')
  await press(page, 'Send to IT')
  await press(page, 'Withdraw the request')
  await why.fill('It is mine again.')
  await press(page, 'Send to IT')
  await page.getByText('“It is mine again.”').waitFor()
  const pending = stage.db.selectFrom('registration_requests').select('id').where('status', '=', 'pending')
  const { id: requestId } = await pending.executeTakeFirstOrThrow()
  const decided = { requestId, decision: { status: 'approved' } as const }
  await transact(stage.db, (tx) => decideRegistrationRequest(tx, decided, context()))
  await untilInApp(page)
})

test('the owner confirms a suspended registration on the computer that has its key still', { skip }, async () => {
  const { page, organizationId, device, key, arrive } = await setUp()
  pass(1)
  await transact(stage.db, async (tx) => {
    const locked = await lockDevice(tx, organizationId, device.id)
    if (locked) await suspendRegistration(tx, locked, 'it enrolled again', systemChange(organizationId, stage.now()))
  })
  await startAgent(key)
  await arrive()
  await title(page, 'IT has to approve this computer')
  pass(1)
  // What the osquery node of the device does when it has shown the companion’s file.
  await transact(stage.db, (tx) =>
    linkCompanion(tx, { kid: key.kid, deviceId: device.id }, systemChange(organizationId, stage.now())),
  )
  await title(page, 'Is this still your computer?')
  await page.getByText('Ana Ruiz, ana@example.com').waitFor()
  await press(page, 'Yes, it’s still mine')
  await untilInApp(page)
})

test('of two computers that answer none counts until one is left', { skip }, async () => {
  const { page, key, arrive, organizationId, faults } = await setUp({ isRegistered: false })
  const vm = await make.device(organizationId, { name: 'ana-x1-ubuntu' })
  await startAgent(await addKey(vm.id))
  const own = await startAgent(key)
  await arrive()
  await title(page, 'Muster can’t tell which computer this is')
  await page.getByText(/More than one computer answered: .*ana-x1-ubuntu/).waitFor()
  await own.stop()
  await title(page, 'Register this computer to ana@example.com?')
  await page.getByText('ana-x1-ubuntu').first().waitFor()
  await press(page, 'Yes, register it to me')
  await untilInApp(page)
  const owned = await stage.db.selectFrom('devices').select('id').where('registered_owner_id', 'is not', null).execute()
  assert.deepEqual([owned, faults], [[{ id: vm.id }], []])
})

test('another device is asked for, and its owner stays unnamed', { skip }, async () => {
  const all = await setUp()
  const { page, organizationId } = all
  const ben = await make.person(organizationId, { name: 'Ben Okafor', email: 'ben@example.com' })
  await startAgent(all.key)
  await all.arrive(ben.email)
  await title(page, 'This computer is registered to someone else')
  assert.doesNotMatch((await page.locator('body').textContent()) ?? '', /\bana\b/i)
  await page.getByText('Ask IT', { exact: true }).click()
  await page.getByLabel('Why do you need this computer?').fill('Ana gave it to me.')
  await press(page, 'Send to IT')
  await title(page, 'IT has to approve this computer')
  await page.getByText('“Ana gave it to me.”').waitFor()
})

test('observe opens no question, and the application within seconds', { skip }, async () => {
  const { page, key, arrive, asked, faults } = await setUp({ mode: 'observe', permission: 'prompt' })
  await startAgent(key)
  await arrive()
  await untilInApp(page)
  assert.deepEqual(asked, [])
  assert.deepEqual(faults, [])
})

test('a warning is continued by a click', { skip }, async () => {
  const all = await setUp()
  const { page } = all
  await failCheck(all, { configuration: { remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 7 } })
  await startAgent(all.key)
  await all.arrive()
  await title(page, /^Fix 1 thing by \w+, /)
  assert.equal(await page.locator('.iss[open]').count(), 0)
  await press(page, 'Fix it now')
  await page.getByText('sudo ufw enable').waitFor()
  await page.getByRole('link', { name: 'Continue to Payroll' }).click()
  await untilInApp(page)
})

test('a server that does not answer is what the page says, and it continues once the server does', {
  skip,
}, async () => {
  const all = await setUp()
  const { page } = all
  await failCheck(all)
  await startAgent(all.key)
  await all.arrive()
  await title(page, 'Fix 1 thing to open Payroll')
  await page.route('**/region', (route) => route.abort())
  await press(page, 'Check again')
  await title(page, 'Something broke on our side')
  await page.getByText(/Trying again in \d+ seconds/).waitFor()
  await page.unroute('**/region')
  await press(page, 'Try again')
  await title(page, /Checking again|Fix 1 thing/)
})

test('an application that has stopped waiting is opened again, with what is still to be fixed', { skip }, async () => {
  const all = await setUp()
  const { page } = all
  await failCheck(all)
  await startAgent(all.key)
  await all.arrive()
  await title(page, 'Fix 1 thing to open Payroll')
  pass(9 * 60 + 41)
  await title(page, 'Payroll stopped waiting')
  await page.getByText('It only waits 10 minutes. Your fixes are saved; 1 to go.').waitFor()
  await page.getByText('No firewall is active').waitFor()
  await page.getByRole('link', { name: 'Open Payroll again' }).click()
  await page.getByText('Payroll is open').waitFor()
})

test('Cancel leads back to the application', { skip }, async () => {
  const { page, arrive, faults } = await setUp({ permission: 'prompt' })
  await arrive()
  await press(page, 'Get help')
  await press(page, 'Cancel this sign-in')
  await untilInApp(page)
  assert.match(page.url(), /error=access_denied/)
  assert.deepEqual(faults, [])
})

test('without script the page explains itself, and its forms work', { skip }, async () => {
  const all = await setUp()
  const { page, context } = all
  await failCheck(all)
  await startAgent(all.key)
  await all.arrive()
  await title(page, 'Fix 1 thing to open Payroll')
  const browser = context.browser()
  assert.ok(browser)
  const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() })
  plain.setDefaultTimeout(deadlineMs)
  try {
    const bare = await plain.newPage()
    await bare.goto(page.url())
    await page.close()
    // Shown where there is no script at all; here it is only switched off.
    assert.match((await bare.locator('noscript').textContent()) ?? '', /^Without JavaScript this page does not change/)
    await bare.getByText('sudo ufw enable').waitFor()
    pass(5)
    await press(bare, 'Check again')
    await title(bare, 'Checking again')
    await press(bare, 'Snooze for 24 hours')
    await bare.getByRole('link', { name: 'Continue to Payroll' }).click()
    await untilInApp(bare)
  } finally {
    await plain.close()
  }
})

test('another browser is sent back to the application', { skip }, async () => {
  const { page, context, arrive } = await setUp({ permission: 'prompt' })
  await arrive()
  await title(page, 'Chrome will ask you once')
  const other = await context.browser()?.newContext()
  assert.ok(other)
  const elsewhere = await other.newPage()
  await elsewhere.goto(page.url())
  await title(elsewhere, 'Start from the app again')
  await other.close()
})
