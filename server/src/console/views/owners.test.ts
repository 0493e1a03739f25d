import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { signedInAdmin } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

const signedIn = (restrictions?: readonly string[]) => signedInAdmin(app, restrictions)

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

type Line = {
  line: number
  outcome: string
  reason: string | null
  cells: { column: string | null; means: string; text: string }[]
  device: { id: string } | null
  person: { id: string; name: string } | null
  owner: { name: string } | null
}

test('previewOwnerList says what becomes of each line, and changes nothing', async () => {
  const { ana, ben, free, owned } = await fleet()
  const browser = await signedIn()
  const other = await app.addTenant('Other')
  await make.device(other.organizationId, { serial: 'FOREIGN' })
  await make.person(other.organizationId, { email: 'foreign@acme.example' })
  const csv = [
    'Name;Serial Number;UDID;E-mail',
    'a;c02free;;ANA@acme.example',
    'b;;5e2b6c1f-0e43-5b0b-9d61-7a1c3f3e2d10;ben@acme.example',
    'c;;{5E2B6C1F0E435B0B9D617A1C3F3E2D10};Ben <ben@acme.example>',
    'd;TWICE;;ana@acme.example',
    'e;FOREIGN;;ana@acme.example',
    'f;C02FREE;;foreign@acme.example',
    'g;;;ana@acme.example',
    '',
    'h;C02FREE',
    'i;C02FREE;;Ana Ruiz',
    'j;C02FREE;5e2b6c1f-0e43-5b0b-9d61-7a1c3f3e2d10;ana@acme.example',
    'k;C02FREE;;ana@acme.\uFFFDxample',
    'l;C02FREE;;ana@acme.example;x',
  ].join('\r\n')
  const { status, body } = await browser.ask('POST', '/owner_list_previews', { csv })
  assert.equal(status, 200)
  const { lines, ...form } = body
  assert.deepEqual(form, {
    ...{ separator: 'semicolon', names_line: 1 },
    columns: [
      { name: 'Serial Number', means: 'device' },
      { name: 'UDID', means: 'device' },
      { name: 'E-mail', means: 'owner' },
    ],
  })
  const said = 'Lines 2, 7, 11 and 13 name different owners of this device.'
  assert.deepEqual(
    lines.map(({ line, outcome, reason, device, person, owner }: Line) => [
      ...[line, outcome, reason, device?.id, person?.id, owner?.name],
    ]),
    [
      [2, 'refused', said, free.id, ana.id, undefined],
      [3, 'unchanged', null, owned.id, ben.id, 'Ben'],
      [4, 'unchanged', 'Line 3 says the same.', owned.id, ben.id, 'Ben'],
      [5, 'refused', '2 devices have this serial number or hardware UUID.', undefined, ana.id, undefined],
      [6, 'refused', 'No device has this serial number or hardware UUID.', undefined, ana.id, undefined],
      [7, 'refused', 'Nobody has this e-mail address or user name.', free.id, undefined, undefined],
      [8, 'refused', 'The line has no serial number or hardware UUID.', undefined, ana.id, undefined],
      [10, 'refused', 'The line has no e-mail address.', free.id, undefined, undefined],
      [11, 'refused', '“Ana Ruiz” is not an e-mail address.', free.id, undefined, undefined],
      [
        12,
        'refused',
        'The serial number and the hardware UUID are of different devices.',
        undefined,
        ana.id,
        undefined,
      ],
      [
        13,
        'refused',
        'The line has letters that are not UTF-8: save the list as UTF-8.',
        free.id,
        undefined,
        undefined,
      ],
      [
        ...[14, 'refused'],
        'The line has 5 cells, and the list has 4 columns. Put quotation marks around a cell that holds a separator.',
        ...[undefined, undefined, undefined],
      ],
    ],
  )
  assert.deepEqual(lines[2].cells, [
    { column: 'UDID', means: 'device', text: '5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10' },
    { column: 'E-mail', means: 'owner', text: 'ben@acme.example' },
  ])
  const takes = await browser.ask('POST', '/owner_list_previews', {
    csv: '5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10,ana@acme.example',
  })
  const [line] = takes.body.lines
  assert.deepEqual([line.line, line.outcome, line.owner.name, line.person.name], [1, 'replaced', 'Ben', 'Ana'])
  assert.deepEqual([takes.body.names_line, takes.body.columns, line.cells[0].column], [null, [], null])
  const limited = await signedIn(['update_devices'])
  assert.equal((await limited.ask('POST', '/owner_list_previews', { csv })).status, 403)
  for (const wrong of ['', 'serial,email', 'a,b,c\nd,e@f.g,h', '"a', `${'x,a@b.c\n'.repeat(5_001)}`, 's\0e\0']) {
    const answer = await browser.ask('POST', '/owner_list_previews', { csv: wrong })
    assert.deepEqual([answer.status, answer.body.errors[0].field], [422, 'csv'], wrong.slice(0, 20))
  }
})

/** What becomes of each line: the reason, else who gets the device. */
async function outcomesOf(csv: string) {
  const { status, body } = await (await signedIn()).ask('POST', '/owner_list_previews', { csv })
  assert.equal(status, 200, JSON.stringify(body))
  return body.lines.map(({ outcome, reason, person }: Line) => reason ?? `${outcome} ${person?.name}`)
}

test('where a list names two owners of a device none of them gets it, whatever comes first', async () => {
  await fleet()
  const [both, three] = [
    'Lines 1 and 2 name different owners of this device.',
    'Lines 2, 3, 4, 5, 6 and 2 more name different owners of this device.',
  ]
  assert.deepEqual(await outcomesOf('C02FREE,ben@acme.example\nC02FREE,ana@acme.example'), [both, both])
  assert.deepEqual(await outcomesOf('C02FREE,ana@acme.example\nc02free,ANA@acme.example\nC02FREE,'), [
    'new Ana',
    'Line 1 says the same.',
    'The line has no e-mail address.',
  ])
  const known = 'C02FREE,ana@acme.example\n'
  const many = `serial,email\n${known.repeat(6)}C02FREE,left@acme.example`
  const nobody = 'Nobody has this e-mail address or user name.'
  assert.deepEqual(await outcomesOf(many), [...Array.from({ length: 6 }, () => three), nobody])
})

test('a device is found by its serial number in any case, also where it reports one of mixed case', async () => {
  await fleet()
  await make.device(app.tenant.organizationId, { name: 'mixed', serial: 'Mixed-7x' })
  const csv = 'MIXED-7X,ana@acme.example\nc02FREE,ana@acme.example'
  assert.deepEqual(await outcomesOf(csv), ['new Ana', 'new Ana'])
})

test('user name and address are both looked up, and where they name two people neither gets the device', async () => {
  const { organizationId } = app.tenant
  const { ana } = await fleet()
  const usernames = ['Ana.Ruiz@corp.example', 'zoe@acme.example']
  await app.db.updateTable('people').set({ usernames }).where('id', '=', ana.id).execute()
  await make.person(organizationId, { name: 'Zoe', email: 'zoe@acme.example' })
  const gone = {
    name: 'Gone',
    email: 'gone@acme.example',
    usernames: ['ana@acme.example'],
    deprovisioned_at: app.now(),
  }
  await make.person(organizationId, gone)
  const head = 'Serial number,Primary user UPN,Primary user email address\n'
  const two = (name: string) => `The line names 2 people: ${name}.`
  const cases = [
    ['ana.ruiz@CORP.example,', 'new Ana'],
    [',ana@acme.example', 'new Ana'],
    ['ana.ruiz@corp.example,ana@acme.example', 'new Ana'],
    ['ana.ruiz@corp.example,left@acme.example', 'new Ana'],
    ['ana.ruiz@corp.example,ben@acme.example', two('Ana (ana@acme.example), Ben (ben@acme.example)')],
    ['zoe@acme.example,', two('Zoe (zoe@acme.example), Ana (ana@acme.example)')],
    ['gone@acme.example,', 'Nobody has this e-mail address or user name.'],
  ] as const
  for (const [cells, outcome] of cases) assert.deepEqual(await outcomesOf(`${head}C02FREE,${cells}`), [outcome], cells)
})

test('a line that names many people is answered with three of them, and none whole whose name is long', async () => {
  await fleet()
  const { organizationId } = app.tenant
  const people = ['a', 'b', 'c', 'd'].map((name) => ({ name: name.repeat(300), email: `${name}@acme.example` }))
  for (const person of people) await make.person(organizationId, person)
  const [reason] = await outcomesOf(`serial,email\nC02FREE,${people.map(({ email }) => email).join(' ')}`)
  const told = ['a', 'b', 'c'].map((name) => `${name.repeat(60)}… (${name}@acme.example)`)
  assert.equal(reason, `The line names 4 people: ${told.join(', ')} and others.`)
  const tooMany = await outcomesOf(
    `serial,email\nC02FREE,${'abcdef'
      .split('')
      .map((name) => `${name}@x.example`)
      .join(' ')}`,
  )
  assert.deepEqual(tooMany, ['The line names more than 5 devices or owners.'])
})

test('a serial number that several devices have is told apart by the hardware UUID beside it', async () => {
  const { organizationId } = app.tenant
  await fleet()
  const uuid = '0A1B2C3D-0E43-5B0B-9D61-7A1C3F3E2D10'
  await make.device(organizationId, { serial: 'TWICE', hardware_uuid: uuid })
  const list = (serial: string) => outcomesOf(`serial,uuid,email\n${serial},${uuid},ana@acme.example`)
  assert.deepEqual(await list('TWICE'), ['new Ana'])
  assert.deepEqual(await list('UNKNOWN'), ['new Ana'])
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
