import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { scimClient } from '../../../test/support/scim-client.ts'

const app = testApp()
const { ask, begin, addToken } = scimClient(app)

let theirs: string
beforeEach(async () => {
  await app.reset()
  await begin()
  theirs = await addToken((await app.addTenant('Globex')).organizationId)
})

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const user = (userName: string) => ({ schemas: [userSchema], userName, name: { givenName: 'A', familyName: 'B' } })
const group = (displayName: string, members: string[] = []) => ({
  schemas: [groupSchema],
  displayName,
  members: members.map((value) => ({ value })),
})
const patch = (...Operations: object[]) => ({ schemas: [patchSchema], Operations })

test('a record of another organization is answered like one that does not exist, by every operation', async () => {
  const made = await ask('POST', '/Users', { token: theirs, body: user('ada@globex.example') })
  const madeGroup = await ask('POST', '/Groups', { token: theirs, body: group('Engineers', [made.body.id]) })
  assert.deepEqual([made.status, madeGroup.status], [201, 201])
  const snapshot = async () => [
    (await ask('GET', `/Users/${made.body.id}`, { token: theirs })).body,
    (await ask('GET', `/Groups/${madeGroup.body.id}`, { token: theirs })).body,
  ]
  const before = await snapshot()
  const nobody = String(Number(madeGroup.body.id) + Number(made.body.id) + 1_000_000)
  const operations = (kind: 'Users' | 'Groups'): [method: string, body?: object][] => [
    ['GET'],
    ['PUT', kind === 'Users' ? user('eve@acme.example') : group('Mine')],
    [
      'PATCH',
      patch({
        op: 'replace',
        path: kind === 'Users' ? 'active' : 'displayName',
        value: kind === 'Users' ? false : 'M',
      }),
    ],
    ['DELETE'],
  ]
  const targets = [
    ['Users', made.body.id],
    ['Groups', madeGroup.body.id],
  ] as const
  for (const [kind, id] of targets) {
    for (const [method, body] of operations(kind)) {
      const [foreign, missing] = await Promise.all(
        [id, nobody].map((one) => ask(method, `/${kind}/${one}`, body ? { body } : {})),
      )
      assert.equal(foreign?.status, 404, `${method} ${kind}`)
      const said = JSON.stringify(foreign?.body).replaceAll(String(id), nobody)
      assert.equal(said, JSON.stringify(missing?.body), `${method} ${kind}`)
    }
  }
  assert.deepEqual(await snapshot(), before)
})

test('a member of another organization is refused like one that does not exist, and lists and filters find none', async () => {
  const made = await ask('POST', '/Users', { token: theirs, body: user('ada@globex.example') })
  const own = await ask('POST', '/Groups', { body: group('Own') })
  const nobody = String(Number(made.body.id) + 1_000_000)
  const attempts: ((member: string) => ReturnType<typeof ask>)[] = [
    (member) => ask('POST', '/Groups', { body: group(`With ${member}`, [member]) }),
    (member) => ask('PUT', `/Groups/${own.body.id}`, { body: group('Own', [member]) }),
    (member) =>
      ask('PATCH', `/Groups/${own.body.id}`, {
        body: patch({ op: 'add', path: 'members', value: [{ value: member }] }),
      }),
  ]
  for (const attempt of attempts) {
    const [foreign, missing] = [await attempt(made.body.id), await attempt(nobody)]
    const plain = (answer: typeof foreign, id: string) =>
      JSON.stringify([answer.status, answer.body]).replaceAll(id, 'N')
    if (foreign.status >= 400) assert.equal(plain(foreign, made.body.id), plain(missing, nobody))
    else assert.deepEqual([missing.status, foreign.body.members ?? []], [foreign.status, []])
  }
  const { body } = await ask('GET', `/Groups/${own.body.id}`)
  assert.deepEqual(body.members ?? [], [])
  const filters = ['userName eq "ada@globex.example"', `id eq "${made.body.id}"`, 'active eq true']
  for (const filter of filters) {
    const found = await ask('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    assert.deepEqual([found.status, found.body.totalResults], [200, 0], filter)
  }
  const byMember = await ask('GET', `/Groups?filter=${encodeURIComponent(`members.value eq "${made.body.id}"`)}`)
  assert.ok(byMember.status === 400 || byMember.body.totalResults === 0)
})

test('the same user name in two organizations is two users', async () => {
  const answers = []
  for (const token of [undefined, theirs]) {
    answers.push(await ask('POST', '/Users', { ...(token && { token }), body: user('both@example.com') }))
  }
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
  )
  assert.notEqual(answers[0]?.body.id, answers[1]?.body.id)
  assert.equal((await ask('DELETE', `/Users/${answers[0]?.body.id}`)).status, 204)
  assert.equal((await ask('GET', `/Users/${answers[1]?.body.id}`, { token: theirs })).status, 200)
})
