import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { minuteMs, plusMs } from '../../base/time.ts'
import { listManyRegistrations } from './many-registrations.ts'

const app = testApp()
const make = makeIn(app)
const ago = (minutes: number) => plusMs(app.now(), -minutes * minuteMs)

beforeEach(() => app.reset())

/** A person with a device registered by themselves so many minutes ago each. */
async function registered(
  name: string,
  minutesAgo: readonly number[],
  columns: Parameters<typeof make.device>[1] = {},
) {
  const { organizationId } = app.tenant
  const person = await make.person(organizationId, { name })
  for (const minutes of minutesAgo) {
    const registration = { registered_owner_id: person.id, registered_at: ago(minutes), is_registered_by_owner: true }
    await make.device(organizationId, { ...registration, ...columns })
  }
  return person
}

const listed = async () =>
  (await listManyRegistrations(app.db, app.tenant.organizationId, app.now())).map((row) => [
    ...[row.person_name, row.devices],
    (Date.parse(app.now()) - Date.parse(row.last_registered_at)) / minuteMs,
  ])

test('the dashboard names who registered many devices within an hour, with the last one of them', async () => {
  const ada = await registered('Ada Lovelace', [63, 62, 61, 60, 5, 4, 3, 3])
  const browser = openBrowser(app)
  assert.equal((await browser.signIn((await addAdmin(app)).email)).status, 200)
  const { status, body } = await browser.ask('GET', '/views/summary')
  assert.equal(status, 200)
  assert.deepEqual(body.many_registrations, [
    { person_id: ada.id, person_name: 'Ada Lovelace', devices: 8, last_registered_at: ago(3) },
  ])
})

test('it names them for a day, the latest first, and at most ten', async () => {
  const day = 24 * 60
  await registered('Ana', [day + 60, day + 50, day + 40, day + 30, day, 10])
  await registered('Ben', [day + 5, day + 4, day + 3, day + 2, day + 1])
  await registered('Cleo', [300, 300, 300, 300, 300, 200])
  assert.deepEqual(await listed(), [
    ['Cleo', 5, 300],
    ['Ana', 5, day],
  ])
  for (let number = 0; number < 10; number += 1) await registered(`Person ${number}`, [9, 9, 9, 9, number])
  const names = (await listed()).map(([name]) => name)
  assert.deepEqual(
    names,
    Array.from({ length: 10 }, (_, number) => `Person ${number}`),
  )
})

test('devices that are deleted, were assigned, or are spread over more than an hour name nobody', async () => {
  await registered('deleted', [5, 4, 3, 2, 1], { deleted_at: ago(1) })
  await registered('assigned', [5, 4, 3, 2, 1], { is_registered_by_owner: false })
  await registered('spread', [100, 84, 68, 52, 36, 20, 4])
  const other = await app.addTenant('Other')
  assert.deepEqual(await listed(), [])
  await registered('many', [5, 4, 3, 2, 1])
  assert.deepEqual(await listManyRegistrations(app.db, other.organizationId, app.now()), [])
})
