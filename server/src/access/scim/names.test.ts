import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { scimClient, scimError } from '../../../test/support/scim-client.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { addAdminUser } from '../administrators/add-admin-user.ts'
import { findAccounts } from '../sessions/queries.ts'

const app = testApp()
const make = makeIn(app)
const { ask, begin } = scimClient(app)

beforeEach(async () => {
  await app.reset()
  app.setNow('2026-11-20T10:00:00.000Z')
  await begin()
})

const nfc = 'rené@acme.example'.normalize('NFC')
/** One address as macOS, Japanese keyboards and shouting people write it. */
const forms = [nfc.normalize('NFD'), nfc.toUpperCase(), nfc.replace('ren', 'ｒｅｎ'), nfc.replace('@', '＠')]

const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const userOf = (userName: string, email = nfc) => ({
  schemas: [userUrn],
  userName,
  displayName: 'René Ωμεγασ',
  emails: [{ value: email, primary: true, type: 'work' }],
})
const nameTaken = scimError(409, 'There is a user with this userName already.', 'uniqueness')

const count = async (path: string, filter: string): Promise<number> =>
  (await ask('GET', `${path}?filter=${encodeURIComponent(filter)}`)).body.totalResults

const search = async (path: string, query: string): Promise<number> => {
  const { status, body } = await app.ask('GET', `${path}?query=${encodeURIComponent(query)}`)
  assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`)
  return body.data.length
}

test('a user is found and kept unique by every form of the name', async () => {
  const { body: user } = await ask('POST', '/Users', { body: userOf(nfc) })
  const { body: other } = await ask('POST', '/Users', { body: userOf('tom@acme.example', 'tom@acme.example') })
  for (const form of forms) {
    assert.equal(await count('/Users', `userName eq "${form}"`), 1, `userName ${form}`)
    assert.equal(await count('/Users', `emails eq "${form}"`), 1, `emails ${form}`)
    assert.equal(await count('/Users', `emails[type eq "work" and value eq "${form}"]`), 1, `emails[] ${form}`)
    const taken = await ask('POST', '/Users', { body: userOf(form, 'other@acme.example') })
    assert.deepEqual(taken.body, nameTaken, form)
    const renamed = await ask('PUT', `/Users/${other.id}`, { body: userOf(form, 'tom@acme.example') })
    assert.deepEqual(renamed.body, nameTaken, form)
  }
  assert.equal(await count('/Users', 'displayName eq "RENÉ ΩΜΕΓΑΣ"'), 2)
  assert.equal((await ask('GET', `/Users/${user.id}`)).body.userName, nfc, 'it is stored as it came')
})

test('whoever is there already is linked by every form of the address', async () => {
  for (const [index, form] of forms.slice(0, 3).entries()) {
    await app.reset()
    await begin()
    const { organizationId } = app.tenant
    const person = await make.person(organizationId, { name: 'René', email: nfc })
    const { status, body } = await ask('POST', '/Users', { body: userOf(`user-${index}`, form) })
    assert.deepEqual([status, body.id], [201, person.id], form)
  }
})

test('a group is found and kept unique by every form of the name', async () => {
  const groupOf = (displayName: string) => ({ body: { schemas: [groupUrn], displayName } })
  assert.equal((await ask('POST', '/Groups', groupOf('Café'))).status, 201)
  for (const form of ['CAFÉ', 'café'.normalize('NFD'), 'Ｃafé']) {
    assert.equal(await count('/Groups', `displayName eq "${form}"`), 1, form)
    assert.equal((await ask('POST', '/Groups', groupOf(form))).status, 409, form)
  }
})

test('a search finds people and devices by every form of a name', async () => {
  const { organizationId } = app.tenant
  const person = await make.person(organizationId, { name: 'René ΟΔΟΣ Жанна', email: nfc })
  await make.device(organizationId, { name: 'René’s MacBook'.normalize('NFD'), registered_owner_id: person.id })
  for (const form of ['rené', 'RENÉ', 'rené'.normalize('NFD'), 'ｒené', 'οδος', 'ΟΔΟΣ', 'жанна']) {
    assert.equal(await search('/people', `name~"${form}"`), 1, form)
  }
  assert.equal(await search('/people', `name:"${'René ΟΔΟΣ Жанна'.normalize('NFD')}"`), 1)
  assert.equal(await search('/people', 'name:"RENÉ ΟΔΟΣ ЖАННА"'), 0, 'case counts where a search is exact')
  for (const form of forms) {
    assert.equal(await search('/people', `email:"${form}"`), 1, form)
    assert.equal(await search('/people', `email~"${form.slice(0, 6)}"`), 1, form)
  }
  assert.equal(await search('/devices', 'name~"RENÉ"'), 1)
  assert.equal(await search('/devices', `name:"${'René’s MacBook'.normalize('NFC')}"`), 1)
  assert.equal(await search('/people', 'name~"％"'), 0, 'a wide percent sign is a percent sign, not a pattern')
})

test('an administrator has one address in all its forms', async () => {
  const { organizationId } = app.tenant
  const add = (email: string) =>
    transact(app.db, (tx) =>
      addAdminUser(
        tx,
        { firstName: 'René', lastName: 'A', email, access: 'full', restrictions: [] },
        systemChange(organizationId, app.now()),
      ),
    )
  const id = await add(nfc)
  for (const form of forms) {
    assert.equal(await search('/admin_users', `email:"${form}"`), 1, form)
    await assert.rejects(add(form), { code: 'invalid' }, form)
    const accounts = await findAccounts(app.db, { email: form })
    assert.deepEqual(
      accounts.map((account) => account.id),
      [id],
      form,
    )
  }
})
