import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { newChange, systemActor } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { addAdminUser } from './add-admin-user.ts'
import { removeAdminUser } from './remove-admin-user.ts'
import { updateAdminUser } from './update-admin-user.ts'

const app = testApp()
const make = makeIn(app)
const now = '2026-11-20T11:00:00.123Z'
const actor = systemActor
const maya = {
  firstName: 'Maya',
  lastName: 'Lindqvist',
  email: 'Maya@acme.example',
  access: 'full',
  restrictions: [],
} as const

beforeEach(() => app.reset())

type Details = Partial<Parameters<typeof addAdminUser>[1]>
type Change = Omit<Parameters<typeof updateAdminUser>[1], 'organizationId' | 'actor' | 'now'>

const ofUs = () => newChange(actor, app.tenant.organizationId, now)
const add = (details: Details = {}, context = ofUs()) =>
  transact(app.db, (tx) => addAdminUser(tx, { ...maya, ...details }, context))
const update = (change: Change) => transact(app.db, (tx) => updateAdminUser(tx, change, ofUs()))
const remove = (id: string) => transact(app.db, (tx) => removeAdminUser(tx, { id }, ofUs()))
const lastEntry = async () => (await app.ask('GET', '/audit_logs?per_page=1')).body.data[0].description
const read = async (id: string) => (await app.ask('GET', `/admin_users/${id}`)).body
const refusal = (field: string, message: string) => ({ code: 'invalid', errors: [{ field, message }] })
const search = async (query: string): Promise<string[]> => {
  const { status, body } = await app.ask('GET', `/admin_users?query=${encodeURIComponent(query)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map((row: { id: string }) => row.id)
}

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listAdminUsers and getAdminUser show administrators in version ${version}`, async () => {
    const first = await add()
    const second = await add({
      email: 'tom@acme.example',
      lastName: '',
      access: 'limited',
      restrictions: ['manage_keys'],
    })
    const records = [
      {
        id: first,
        first_name: 'Maya',
        last_name: 'Lindqvist',
        email: 'Maya@acme.example',
        created_at: now,
        access: 'full',
        restrictions: [],
      },
      {
        id: second,
        first_name: 'Maya',
        last_name: '',
        email: 'tom@acme.example',
        created_at: now,
        access: 'limited',
        restrictions: ['manage_keys'],
      },
    ]
    const list = await app.ask('GET', '/admin_users', { headers })
    assert.deepEqual(
      [list.status, list.body],
      [200, { data: records, pagination: { next: '', current_cursor: '', next_cursor: '', count: 2 } }],
    )
    for (const record of records) {
      const one = await app.ask('GET', `/admin_users/${record.id}`, { headers, key: app.tenant.readOnlyKey })
      assert.deepEqual([one.status, one.body], [200, record])
    }
    const missing = { error: 'not_found', message: 'There is no such record.' }
    const other = await make.adminUser((await app.addTenant()).organizationId)
    for (const id of [other.id, '999999', 'x']) {
      assert.deepEqual((await app.ask('GET', `/admin_users/${id}`, { headers })).body, missing, id)
    }
  })
}

test('administrators are searched by names, address and when they were added', async () => {
  const { organizationId } = app.tenant
  const one = await add()
  const { id: two } = await make.adminUser(organizationId, {
    first_name: 'Tom 100%',
    last_name: 'Okafor',
    created_at: '2026-11-19T10:00:00.000Z',
  })
  const found: [query: string, ids: string[]][] = [
    ['first_name:Maya', [one]],
    ['first_name:maya', []],
    ['first_name~%', [two]],
    ['last_name:Okafor', [two]],
    ['last_name~LIND', [one]],
    ['email:MAYA@ACME.EXAMPLE', [one]],
    ['email~"@acme"', [one, two]],
    [`created_at:"${now}"`, [one]],
    ['created_at<2026-11-20', [two]],
    ['created_at>2026-11-20 OR last_name~oka', [one, two]],
  ]
  for (const [query, ids] of found) assert.deepEqual(await search(query), ids, query)
  const { status } = await app.ask('GET', '/admin_users?query=access:full')
  assert.equal(status, 422)
})

test('a new administrator is announced and written down', async () => {
  const id = await add({ access: 'limited', restrictions: ['manage_keys', 'reveal_keys'] })
  assert.equal(
    await lastEntry(),
    'Added the administrator "Maya Lindqvist" (Maya@acme.example) with limited access with the restrictions "manage_keys", "reveal_keys".',
  )
  const events = await app.db.selectFrom('events').select(['type', 'device_id', 'data', 'occurred_at']).execute()
  assert.deepEqual(events, [
    {
      type: 'admin_users.created',
      device_id: null,
      data: {
        adminUserId: id,
        firstName: 'Maya',
        lastName: 'Lindqvist',
        email: 'Maya@acme.example',
        access: 'limited',
      },
      occurred_at: now,
    },
  ])
})

test('one address is one administrator, whatever its case, and may be one of another organization too', async () => {
  await add()
  const before = await rowVersions(app.db)
  await assert.rejects(add({ email: 'MAYA@ACME.EXAMPLE' }), refusal('email', 'is an administrator’s already'))
  assert.deepEqual(await rowVersions(app.db), before)
  assert.ok(await add({}, newChange(actor, (await app.addTenant()).organizationId, now)))
})

testOnPostgres('an administrator of one address is added once, however many do it at the same time', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => add()))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await search('')).length, 1)
})

test('details that make no sense are refused by name', async () => {
  const wrong: [details: Details, field: string][] = [
    [{ firstName: '  ' }, 'first_name'],
    [{ firstName: 'x'.repeat(201) }, 'first_name'],
    [{ lastName: 'a\0b' }, 'last_name'],
    [{ lastName: '\ud800' }, 'last_name'],
    [{ email: 'nobody' }, 'email'],
    [{ email: `${'x'.repeat(320)}@acme.example` }, 'email'],
    [{ email: 'a\0b@acme.example' }, 'email'],
    [{ restrictions: ['manage_keys'] }, 'restrictions'],
    [{ access: 'billing_only', restrictions: ['manage_keys'] }, 'restrictions'],
    [{ access: 'limited', restrictions: ['Manage keys'] }, 'restrictions'],
    [{ access: 'limited', restrictions: ['manage_keys', 'manage_keys'] }, 'restrictions'],
    [{ access: 'limited', restrictions: ['remove_device'] }, 'restrictions'],
  ]
  for (const [details, field] of wrong) {
    await assert.rejects(add(details), (error: { code: string; errors: { field: string }[] }) => {
      assert.deepEqual([error.code, error.errors.map((fault) => fault.field)], ['invalid', [field]])
      return true
    })
  }
  assert.deepEqual(await search(''), [])
})

test('a change of rights is written down, and one that changes nothing writes nothing', async () => {
  await make.adminUser(app.tenant.organizationId)
  const id = await add()
  assert.equal(await update({ id, access: 'limited', restrictions: ['manage_keys'] }), true)
  assert.equal(
    await lastEntry(),
    'Changed what the administrator "Maya Lindqvist" (Maya@acme.example) may do from full access to limited access with the restrictions "manage_keys".',
  )
  const before = await rowVersions(app.db)
  assert.equal(await update({ id, access: 'limited' }), false)
  assert.equal(await update({ id }), false)
  assert.equal(await update({ id, restrictions: ['manage_keys'] }), false)
  assert.deepEqual(await rowVersions(app.db), before)
  assert.equal(await update({ id, access: 'billing_only' }), true)
  const { access, restrictions } = await read(id)
  assert.deepEqual([access, restrictions], ['billing_only', []])
  await assert.rejects(
    update({ id, restrictions: ['manage_keys'] }),
    refusal('restrictions', 'are for limited access only'),
  )
})

test('a removed administrator is gone, and the address is free again', async () => {
  await make.adminUser(app.tenant.organizationId)
  const id = await add()
  await remove(id)
  assert.equal(await lastEntry(), 'Removed the administrator "Maya Lindqvist" (Maya@acme.example).')
  assert.equal((await read(id)).error, 'not_found')
  await assert.rejects(remove(id), { code: 'not_found' })
  await assert.rejects(update({ id, access: 'full' }), { code: 'not_found' })
  assert.notEqual(await add(), id)
})

test('an administrator of another organization is neither changed nor removed', async () => {
  const other = await make.adminUser((await app.addTenant()).organizationId, { access: 'limited' })
  await assert.rejects(remove(other.id), { code: 'not_found' })
  await assert.rejects(update({ id: other.id, access: 'full' }), { code: 'not_found' })
})

test('the last administrator with full access stays one', async () => {
  await make.adminUser((await app.addTenant()).organizationId)
  const id = await add()
  const limited = await make.adminUser(app.tenant.organizationId, { access: 'limited' })
  await assert.rejects(remove(id), refusal('id', 'must stay: nobody else has full access'))
  await assert.rejects(
    update({ id, access: 'limited' }),
    refusal('access', 'must stay full: nobody else has full access'),
  )
  assert.equal(await update({ id: limited.id, access: 'full' }), true)
  await remove(id)
  await assert.rejects(remove(limited.id), refusal('id', 'must stay: nobody else has full access'))
})

testOnPostgres('the last two with full access cannot both go at the same time', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { organizationId } = await app.addTenant()
    const [one, two] = [await make.adminUser(organizationId), await make.adminUser(organizationId)]
    const outcomes = await Promise.allSettled([
      transact(app.db, (tx) => removeAdminUser(tx, { id: one.id }, newChange(actor, organizationId, now))),
      transact(app.db, (tx) =>
        updateAdminUser(tx, { id: two.id, access: 'billing_only' }, newChange(actor, organizationId, now)),
      ),
    ])
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    const left = await app.db
      .selectFrom('admin_users')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('access', '=', 'full')
      .execute()
    assert.equal(left.length, 1)
  }
})
