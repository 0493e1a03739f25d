import assert from 'node:assert/strict'
import { test } from 'node:test'
import { honestUpstream } from '../../../test/support/honest-upstream.ts'
import { transact } from '../../base/db/transact.ts'
import { changeConnection } from '../connections/change-connection.ts'
import { createConnection } from '../connections/create-connection.ts'

const { stage, make, change, setUp, claimsFor, userinfoOf } = await honestUpstream()

const everything = { scope: 'openid email profile' }
const known = { name: 'Ana Ruiz', preferred_username: 'ana', given_name: 'Ana', family_name: 'Ruiz' }
const ofDevice = ['acr', 'amr', 'device_context', 'upstream_acr']

const without = (claims: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)))

const protocol = ['iss', 'aud', 'iat', 'exp', 'nonce', 'at_hash', 'auth_time']

test('the ID token and the userinfo endpoint say who the person is, by scope', async () => {
  const set = await setUp()
  const of = { email: 'ana@example.com', email_verified: true }
  for (const [scope, claims] of [
    ['openid', {}],
    ['openid email', of],
    ['openid profile', known],
    ['openid email profile groups', { ...of, ...known }],
  ] as const) {
    const { idToken, userinfo } = await claimsFor(set, { scope }, known)
    assert.deepEqual(userinfo, { sub: idToken['sub'], ...claims }, scope)
    assert.deepEqual(without(idToken, [...protocol, ...ofDevice]), { sub: idToken['sub'], ...claims }, scope)
  }
})

test('a name that the upstream does not say is the one that Muster has, and the address is the user name', async () => {
  const set = await setUp()
  await stage.db.updateTable('people').set({ name: 'Ana of the list' }).where('id', '=', set.person.id).execute()
  const { userinfo } = await claimsFor(set, everything)
  assert.deepEqual(without(userinfo, ['sub']), {
    email: 'ana@example.com',
    email_verified: true,
    name: 'Ana of the list',
    preferred_username: 'ana@example.com',
  })
})

test('claims that a request asks for by name come where it asks for them, whatever its scope', async () => {
  const set = await setUp()
  const claims = JSON.stringify({
    userinfo: { name: { essential: true }, device_context: null, phone_number: null },
    id_token: { email: null },
  })
  const { idToken, userinfo } = await claimsFor(set, { scope: 'openid', claims }, known)
  assert.deepEqual(userinfo, { sub: idToken['sub'], name: 'Ana Ruiz', device_context: idToken['device_context'] })
  assert.deepEqual(without(idToken, [...protocol, ...ofDevice]), { sub: idToken['sub'], email: 'ana@example.com' })
})

test('groups are named where an administrator has chosen them: those of the person, as they are called then', async () => {
  const set = await setUp()
  const { organizationId } = set
  const groupOf = async (name: string, personIds: string[]) => {
    const { id } = await make.personGroup(organizationId, { name, personIds })
    return id
  }
  const ben = await make.person(organizationId, { email: 'ben@example.com' })
  const finance = await groupOf('Finance', [set.person.id, ben.id])
  const berlin = await groupOf('Berlin', [set.person.id])
  const board = await groupOf('Board', [ben.id])
  await groupOf('Salary review', [set.person.id])
  assert.equal('groups' in (await claimsFor(set, { scope: 'openid profile groups' })).userinfo, false)
  const groupIds = [finance, berlin, board]
  await transact(stage.db, (tx) => changeConnection(tx, { id: set.connection.id, groupIds }, change()))
  const { changes } = await stage.db
    .selectFrom('audit_logs')
    .select('changes')
    .where('action', '=', 'signin_connection.changed')
    .executeTakeFirstOrThrow()
  const names = [`Finance (${finance})`, `Berlin (${berlin})`, `Board (${board})`]
  assert.deepEqual(changes, [{ field: 'groups', from: [], to: names }])
  for (const scope of ['openid profile', 'openid groups']) {
    const { idToken, userinfo } = await claimsFor(set, { scope })
    assert.deepEqual(
      [idToken['groups'], userinfo['groups']],
      [
        ['Berlin', 'Finance'],
        ['Berlin', 'Finance'],
      ],
      scope,
    )
  }
  await stage.db.deleteFrom('person_groups').where('id', '=', berlin).execute()
  assert.deepEqual((await claimsFor(set, { scope: 'openid groups' })).userinfo['groups'], ['Finance'])
})

test('groups of another organization cannot be chosen, nor any for a second step', async () => {
  const set = await setUp()
  const other = await make.organization()
  const { id: foreign } = await make.personGroup(other.id, { name: 'Theirs' })
  const choose = (groupIds: string[]) =>
    transact(stage.db, (tx) => changeConnection(tx, { id: set.connection.id, groupIds }, change()))
  for (const id of [foreign, '999999']) {
    const message = `must be person groups of the organization: ${id}`
    await assert.rejects(choose([id]), { code: 'invalid', errors: [{ field: 'group_ids', message }] })
  }
  const wanted = { name: 'Okta', kind: 'second_step' as const, requestKeys: [set.rp.jwk], groupIds: ['1'] }
  const message = 'are for connections of the kind application'
  await assert.rejects(
    transact(stage.db, (tx) =>
      createConnection(tx, stage.secrets, { ...wanted, redirectUris: [set.rp.redirectUri] }, change()),
    ),
    { code: 'invalid', errors: [{ field: 'group_ids', message }] },
  )
})

test('a token of someone who has left says nothing', async () => {
  const set = await setUp()
  const { body } = await claimsFor(set, everything, known)
  await stage.db.updateTable('people').set({ deprovisioned_at: stage.now() }).where('id', '=', set.person.id).execute()
  await assert.rejects(userinfoOf(body['access_token']), /401/)
})
