import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { assignOwnersByAccount } from './assign-owners-by-account.ts'
import { ownerOf } from './owner-by-account-rules.ts'
import { previewOwnerRule } from './preview-owner-rule.ts'
import { registerDevice } from './register-device.ts'
import { unregisterDevice } from './unregister-device.ts'

const database = testDatabase()
const make = makeIn(database)
let organizationId: string

beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

const choose = (id: string, isOn: boolean) =>
  database.db
    .insertInto('organization_settings')
    .values({ organization_id: id, is_owner_by_account: isOn, updated_at: startOfTests })
    .onConflict((conflict) =>
      conflict.constraint('organization_settings_pkey').doUpdateSet({ is_owner_by_account: isOn }),
    )
    .execute()

/** A device on which accounts are logged in, as pairs of name and kind of session. */
async function deviceWith(
  sessions: readonly (readonly [string, string])[],
  name = 'Mac',
  organization = organizationId,
) {
  const device = await make.device(organization, { name })
  const place = { organization_id: organization, device_id: device.id, reporting_table: 'device_logged_in_users' }
  await database.db
    .insertInto('device_snapshots')
    .values({ ...place, digest: Buffer.of(1), is_truncated: false, is_scheduled: true, taken_at: startOfTests })
    .execute()
  for (const [username, type] of sessions) {
    const content = sql<never>`${JSON.stringify({ username, type, host: '' })}::jsonb`
    await database.db
      .insertInto('device_snapshot_rows')
      .values({ ...place, content })
      .execute()
  }
  return device
}

const run = () => assignOwnersByAccount(database.db, () => startOfTests, new AbortController().signal)

async function owners() {
  const rows = await database.db
    .selectFrom('devices')
    .leftJoin('people', (join) =>
      join
        .onRef('people.id', '=', 'devices.registered_owner_id')
        .onRef('people.organization_id', '=', 'devices.organization_id'),
    )
    .select(['devices.name as device', 'people.name as owner'])
    .orderBy('devices.id')
    .execute()
  return rows.map(({ device, owner }) => [device, owner])
}

test('the owner is the only person whose account is logged in', () => {
  const [ana, ben] = [{ id: '1' }, { id: '2' }]
  const cases = [
    { matches: [], owner: undefined },
    { matches: [{ account: 'root', people: [] }], owner: undefined },
    { matches: [{ account: 'ana', people: [ana] }], owner: '1' },
    {
      matches: [
        { account: 'root', people: [] },
        { account: 'ana', people: [ana] },
      ],
      owner: '1',
    },
    {
      matches: [
        { account: 'ana', people: [ana] },
        { account: 'ANA', people: [ana] },
      ],
      owner: '1',
    },
    { matches: [{ account: 'ana', people: [ana, ben] }], owner: undefined },
    {
      matches: [
        { account: 'ana', people: [ana] },
        { account: 'ben', people: [ben] },
      ],
      owner: undefined,
    },
  ]
  for (const { matches, owner } of cases) assert.equal(ownerOf(matches)?.person.id, owner, JSON.stringify(matches))
})

test('the account rule registers devices that never had an owner to whose user name is logged in', async () => {
  await make.person(organizationId, { name: 'Ana', email: 'ana@acme.example', usernames: ['Ana@acme.example'] })
  await make.person(organizationId, { name: 'Ben', usernames: ['ben'] })
  await make.person(organizationId, { name: 'Bea', usernames: ['bea', 'shared'] })
  await make.person(organizationId, { name: 'Bo', usernames: ['shared@acme.example'] })
  await make.person(organizationId, { name: 'Gone', usernames: ['gone'], deprovisioned_at: startOfTests })
  const other = await make.organization()
  await make.person(other.id, { name: 'Foreign', usernames: ['foreign'] })
  await deviceWith(
    [
      ['ana', 'user'],
      ['root', 'user'],
      ['reboot', 'boot_time'],
    ],
    'of Ana',
  )
  await deviceWith([['BEN', 'active']], 'of Ben')
  await deviceWith(
    [
      ['ana', 'user'],
      ['ben', 'user'],
    ],
    'of two',
  )
  await deviceWith([['shared', 'user']], 'of a name that two have')
  await deviceWith([['gone', 'user']], 'of a leaver')
  await deviceWith([['foreign', 'user']], 'of another organization')
  await deviceWith([['ben', 'boot_time']], 'of no session')
  await deviceWith(
    Array.from({ length: 21 }, (_, index) => [index === 0 ? 'ben' : `u${index}`, 'user']),
    'of many',
  )
  await make.device(organizationId, { name: 'of no report' })
  const preview = await previewOwnerRule(database.db, organizationId, undefined)
  assert.deepEqual(
    preview.owners.map((owner) => [owner.device_name, owner.account, owner.person.name]),
    [
      ['of Ana', 'ana', 'Ana'],
      ['of Ben', 'BEN', 'Ben'],
    ],
  )
  assert.deepEqual([preview.never_owned_count, preview.after], [9, null])
  const before = await rowVersions(database.db)
  assert.equal(await run(), 0)
  assert.deepEqual(await rowVersions(database.db), before)

  await choose(organizationId, true)
  assert.equal(await run(), 2)
  assert.deepEqual(
    (await owners()).filter(([, owner]) => owner !== null),
    [
      ['of Ana', 'Ana'],
      ['of Ben', 'Ben'],
    ],
  )
  const entries = await database.db
    .selectFrom('audit_logs')
    .select(['description', 'actor_type'])
    .orderBy('id')
    .execute()
  assert.deepEqual(entries.at(-1), {
    description:
      'Registered the device "of Ben" to "Ben" (' +
      (await emailOf('Ben')) +
      '): their account "BEN" is logged in on it.',
    actor_type: 'System',
  })
  const settled = await rowVersions(database.db)
  assert.equal(await run(), 0)
  assert.deepEqual(await rowVersions(database.db), settled)
})

const emailOf = async (name: string) =>
  (await database.db.selectFrom('people').select('email').where('name', '=', name).executeTakeFirstOrThrow()).email

test('a registration that was ended stays ended, whoever ended it', async () => {
  const ben = await make.person(organizationId, { name: 'Ben', usernames: ['ben'] })
  const device = await deviceWith([['ben', 'user']])
  await choose(organizationId, true)
  const change = systemChange(organizationId, startOfTests)
  await transact(database.db, (tx) => registerDevice(tx, { deviceId: device.id, personId: ben.id }, change))
  await transact(database.db, (tx) => unregisterDevice(tx, { deviceId: device.id }, change))
  assert.equal(await run(), 0)
  assert.deepEqual(await owners(), [['Mac', null]])
  assert.deepEqual((await previewOwnerRule(database.db, organizationId, undefined)).never_owned_count, 0)
})

test('the account rule looks through more devices than fit into one step, and ends when it is turned off', async () => {
  await make.person(organizationId, { name: 'Ben', usernames: ['ben'] })
  await sql`insert into devices (organization_id, name, device_type, form_factor, created_at)
    select ${organizationId}::bigint, 'idle ' || n, 'Mac', 'computer', ${startOfTests}::timestamptz
    from generate_series(1, 501) as n`.execute(database.db)
  const device = await deviceWith([['ben', 'user']], 'last')
  await choose(organizationId, true)
  await choose(organizationId, false)
  assert.equal(await run(), 0)
  await choose(organizationId, true)
  assert.equal(await run(), 1)
  const row = database.db.selectFrom('devices').select('registered_owner_id').where('id', '=', device.id)
  assert.notEqual((await row.executeTakeFirstOrThrow()).registered_owner_id, null)
})
