import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { signedInAdmin } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

const signedIn = (restrictions?: readonly string[]) => signedInAdmin(app, restrictions)

const preview = '/unregistration_previews'
const command = '/unregistrations'

/** Ana has two Macs, Ben a telephone; nobody owns the last. */
async function fleet(organizationId: string) {
  const ana = await make.person(organizationId, { name: 'Ana' })
  const ben = await make.person(organizationId, { name: 'Ben' })
  const owned = { registered_at: app.now() }
  return {
    one: await make.device(organizationId, { name: 'one', ...owned, registered_owner_id: ana.id }),
    two: await make.device(organizationId, { name: 'two', ...owned, registered_owner_id: ana.id }),
    phone: await make.device(organizationId, {
      ...{ name: 'phone', device_type: 'iOS', form_factor: 'phone' },
      ...owned,
      registered_owner_id: ben.id,
    }),
    free: await make.device(organizationId, { name: 'free' }),
  }
}

test('previewUnregistrations counts owners, and those whom no device is left', async () => {
  const { organizationId } = app.tenant
  const { one, two, phone, free } = await fleet(organizationId)
  const other = await app.addTenant('Other')
  const foreign = await fleet(other.organizationId)
  const browser = await signedIn()
  const all = { all_devices_count: 4 }
  const some = { device_ids: [one.id, free.id, foreign.one.id, '900000000000000001'] }
  assert.deepEqual((await browser.ask('POST', preview, some)).body, {
    ...{ devices_count: 2, registered_count: 1, deleted_count: 0, owners_count: 1 },
    ...{ owner_names: ['Ana'], ownerless_count: 0, ...all },
  })
  const found = {
    ...{ devices_count: 4, registered_count: 3, deleted_count: 1, owners_count: 2 },
    ...{ owner_names: ['Ana', 'Ben'], ownerless_count: 2, ...all },
  }
  assert.deepEqual((await browser.ask('POST', preview, {})).body, found)
  const excepted = await browser.ask('POST', preview, { filter: { platform: 'Mac' }, except_ids: [Number(two.id)] })
  assert.deepEqual(excepted.body, {
    ...{ devices_count: 2, registered_count: 1, deleted_count: 0, owners_count: 1 },
    ...{ owner_names: ['Ana'], ownerless_count: 0, ...all },
  })
  assert.deepEqual((await browser.ask('POST', preview, { device_ids: [] })).body, {
    ...{ devices_count: 0, registered_count: 0, deleted_count: 0, owners_count: 0 },
    ...{ owner_names: [], ownerless_count: 0, ...all },
  })
  assert.equal((await browser.ask('POST', preview, { filter: { platform: 'Amiga' } })).status, 422)
  assert.equal((await browser.ask('POST', preview, { device_ids: [phone.id, 'x'] })).status, 422)
  assert.equal((await (await signedIn(['remove_devices'])).ask('POST', preview, {})).status, 403)
})

test('unregisterDevices ends each registration separately, and says what was refused and why', async () => {
  const { organizationId } = app.tenant
  const { one, two, phone, free } = await fleet(organizationId)
  const foreign = await fleet((await app.addTenant('Other')).organizationId)
  const browser = await signedIn()
  const asked = { device_ids: [one.id, free.id, foreign.one.id, one.id, phone.id, '900000000000000001'] }
  const reason = 'There is no such record.'
  const isFree = { device_id: free.id, device_name: 'free', reason: 'The device is not registered to anyone.' }
  const { status, body } = await browser.ask('POST', command, asked)
  assert.deepEqual(
    [status, body],
    [
      200,
      {
        unregistered_count: 2,
        refused: [
          isFree,
          { device_id: foreign.one.id, device_name: null, reason },
          { device_id: '900000000000000001', device_name: null, reason },
        ],
      },
    ],
  )
  const left = await app.db
    .selectFrom('devices')
    .select(['name', 'deleted_at', 'registered_owner_id'])
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    left.map(({ name, deleted_at: at, registered_owner_id: owner }) => [name, at !== null, owner !== null]),
    [
      ['one', false, false],
      ['two', false, true],
      ['phone', true, false],
      ['free', false, false],
    ],
  )
  const log = await browser.ask('GET', '/views/audit_logs')
  const told = log.body.data.map(({ description }: { description: string }) => description)
  assert.deepEqual(
    told.filter((line: string) => line.startsWith('Ended the registration')),
    [
      'Ended the registration of the device "phone" to "Ben" and deleted the device.',
      'Ended the registration of the device "one" to "Ana".',
    ],
  )
  assert.deepEqual((await browser.ask('POST', command, { device_ids: [one.id] })).body, {
    unregistered_count: 0,
    refused: [{ ...isFree, device_id: one.id, device_name: 'one' }],
  })
  const kept = await app.db
    .selectFrom('devices')
    .select('registered_owner_id')
    .where('id', '=', foreign.one.id)
    .where('organization_id', '<>', organizationId)
    .executeTakeFirstOrThrow()
  assert.notEqual(kept.registered_owner_id, null)
  assert.equal((await (await signedIn(['remove_devices'])).ask('POST', command, { device_ids: [two.id] })).status, 403)
  for (const wrong of [[], ['x'], Array.from({ length: 26 }, (_, index) => String(index + 1))]) {
    assert.equal((await browser.ask('POST', command, { device_ids: wrong })).status, 422)
  }
})
