import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

async function signedIn(restrictions: readonly string[] = []) {
  const access = restrictions.length > 0 ? 'limited' : 'full'
  const admin = await addAdmin(app, { email: `${randomUUID()}@acme.example`, access, restrictions })
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

async function fleet() {
  const { organizationId } = app.tenant
  const ana = await make.person(organizationId, { name: 'Ana', email: 'ana@acme.example' })
  const ben = await make.person(organizationId, { name: 'Ben', email: 'ben@acme.example' })
  return {
    ...{ ana, ben },
    free: await make.device(organizationId, { name: 'free', serial: 'C02FREE' }),
    owned: await make.device(organizationId, {
      name: 'owned',
      hardware_uuid: '5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10',
      registered_owner_id: ben.id,
    }),
    one: await make.device(organizationId, { name: 'one', serial: 'TWICE' }),
    two: await make.device(organizationId, { name: 'two', serial: 'TWICE' }),
  }
}

test('registerDevices registers each device separately, and says what was refused and why', async () => {
  const { ana, ben, free, owned, one } = await fleet()
  const foreign = await make.device((await app.addTenant('Other')).organizationId)
  const browser = await signedIn()
  const ask = (pairs: readonly (readonly [string, string])[], by = browser) =>
    by.ask('POST', '/registrations', {
      registrations: pairs.map(([device, person]) => ({ device_id: device, person_id: person })),
    })
  const { status, body } = await ask([
    [free.id, ana.id],
    [owned.id, ben.id],
    [foreign.id, ana.id],
    [one.id, '900000000000000001'],
  ])
  const reason = 'There is no such record.'
  assert.deepEqual(
    [status, body],
    [
      200,
      {
        ...{ registered_count: 1, unchanged_count: 1 },
        refused: [
          { device_id: foreign.id, device_name: null, reason },
          { device_id: one.id, device_name: 'one', reason },
        ],
      },
    ],
  )
  // Another's device is taken only by whoever may unregister it.
  const limited = await signedIn(['remove_devices'])
  const taken = await ask([[owned.id, ana.id]], limited)
  assert.deepEqual([taken.body.registered_count, taken.body.refused.length], [0, 1])
  assert.match(taken.body.refused[0].reason, /Remove Devices/)
  assert.equal((await ask([[owned.id, ana.id]])).body.registered_count, 1)
  assert.equal((await ask([[free.id, ana.id]], await signedIn(['update_devices']))).status, 403)
  assert.equal((await ask([])).status, 422)
  assert.equal((await ask(Array.from({ length: 26 }, () => [free.id, ana.id] as const))).status, 422)
})

test('previewOwnerList says what becomes of each line, and changes nothing', async () => {
  const { free, owned } = await fleet()
  const browser = await signedIn()
  const other = await app.addTenant('Other')
  await make.device(other.organizationId, { serial: 'FOREIGN' })
  const csv = [
    'Name;Serial Number;UDID;E-mail',
    'a;c02free;;ANA@acme.example',
    'b;;5e2b6c1f-0e43-5b0b-9d61-7a1c3f3e2d10;ben@acme.example',
    'c;;5e2b6c1f-0e43-5b0b-9d61-7a1c3f3e2d10;ana@acme.example',
    'd;TWICE;;ana@acme.example',
    'e;FOREIGN;;ana@acme.example',
    'f;C02FREE;;nobody@acme.example',
    'g;;;ana@acme.example',
    '',
    'h;C02FREE',
  ].join('\r\n')
  const { status, body } = await browser.ask('POST', '/owner_list_previews', { csv })
  assert.equal(status, 200)
  assert.deepEqual(
    body.lines.map((line: Record<string, { id?: string }>) => [
      ...[line['line'], line['outcome'], line['reason']],
      ...[line['device']?.id, line['person']?.id !== undefined, line['owner']?.id !== undefined],
    ]),
    [
      [2, 'new', null, free.id, true, false],
      [3, 'unchanged', null, owned.id, true, true],
      [4, 'refused', 'An earlier line names this device.', owned.id, true, true],
      [5, 'refused', '2 devices have this serial number or hardware UUID.', undefined, true, false],
      [6, 'refused', 'No device has this serial number or hardware UUID.', undefined, true, false],
      [7, 'refused', 'Nobody has this e-mail address.', free.id, false, false],
      [8, 'refused', 'The line has no serial number or hardware UUID.', undefined, true, false],
      [10, 'refused', 'The line has no e-mail address.', free.id, false, false],
    ],
  )
  const takes = await browser.ask('POST', '/owner_list_previews', {
    csv: '5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10,ana@acme.example',
  })
  const [line] = takes.body.lines
  assert.deepEqual([line.line, line.outcome, line.owner.name, line.person.name], [1, 'replaced', 'Ben', 'Ana'])
  const limited = await signedIn(['update_devices'])
  assert.equal((await limited.ask('POST', '/owner_list_previews', { csv })).status, 403)
  for (const wrong of ['', 'serial,email', 'a,b,c\nd,e@f.g,h', '"a', `${'x,a@b.c\n'.repeat(5_001)}`]) {
    const answer = await browser.ask('POST', '/owner_list_previews', { csv: wrong })
    assert.deepEqual([answer.status, answer.body.errors[0].field], [422, 'csv'], wrong.slice(0, 20))
  }
})

test('addPerson adds a person whom devices can be registered to, and restores who was deprovisioned', async () => {
  const { organizationId } = app.tenant
  const gone = await make.person(organizationId, { email: 'gone@acme.example', deprovisioned_at: app.now() })
  const browser = await signedIn()
  const add = (email: string, by = browser) => by.ask('POST', '/people', { name: 'Cleo', email })
  const added = await add('cleo@acme.example')
  assert.deepEqual([added.status, added.body.is_restored], [200, false])
  const person = await app.ask('GET', `/people/${added.body.id}`)
  assert.deepEqual([person.body.name, person.body.email], ['Cleo', 'cleo@acme.example'])
  const log = await browser.ask('GET', '/views/audit_logs')
  assert.equal(log.body.data[0].description, 'Added the person "Cleo" (cleo@acme.example).')
  const again = await add('CLEO@acme.example')
  assert.deepEqual([again.status, again.body.errors[0].field], [422, 'email'])
  assert.deepEqual((await add('gone@acme.example')).body, { id: gone.id, is_restored: true })
  assert.equal((await add('not an address')).status, 422)
  assert.equal((await add('dora@acme.example', await signedIn(['manage_settings']))).status, 403)
})

test('an organization that sends many lists at once waits for itself, and another does not', async () => {
  const csv = Array.from({ length: 5_000 }, (_, index) => `S${index},p${index}@acme.example`).join('\n')
  const browser = await signedIn()
  const other = await app.addTenant('Other')
  const lists = Array.from({ length: 30 }, () => browser.ask('POST', '/owner_list_previews', { csv }))
  assert.equal((await app.ask('GET', '/devices', { key: other.key })).status, 200)
  const answers = await Promise.all(lists)
  const refused = answers.filter(({ status }) => status !== 200)
  assert.notEqual(refused.length, 0)
  assert.ok(
    refused.length <= 30 - 12,
    `${refused.length} of 30 were refused, and 2 at once with 10 that wait are none too many`,
  )
  for (const { status, headers, body } of refused) {
    assert.deepEqual([status, headers['retry-after'], body.error], [429, '5', 'rate_limited'])
  }
  // The turns are given back.
  assert.equal((await browser.ask('POST', '/owner_list_previews', { csv })).status, 200)
})
