import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { registerDevice } from '../../src/administration/registrations/register-device.ts'
import { transact } from '../../src/base/db/transact.ts'
import { hourMs, plusMs } from '../../src/base/time.ts'
import { expireAuthLogs } from '../../src/sign-in/auth-logs/expire-auth-logs.ts'
import { forgetIdentities } from '../../src/sign-in/sessions/forget-identities.ts'
import { brokerStage, upstreamReturn } from '../support/broker-stage.ts'
import { startIdentityProvider } from '../support/identity-provider.ts'
import { scimClient } from '../support/scim-client.ts'

const { stage, make, change, setUp, leave, proveIn, finishPath, tokensOf, sessionOf, addKey } = brokerStage()
const scim = scimClient(stage)

const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User'
const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const provider = await startIdentityProvider(upstreamReturn)
after(() => provider.stop())
for (const login of ['ana-7', 'ana-8']) {
  provider.accounts.set(login, { email: 'ana@example.com', emailVerified: true })
}

type Set = Awaited<ReturnType<typeof setUp>>
type Visit = Awaited<ReturnType<typeof leave>>

/** On the page of a sign-in, back from the provider; `jar` holds what the provider knows the person by. */
async function arrive(set: Set, login = 'ana-7', jar = new Map<string, string>()): Promise<Visit> {
  const visit = await leave(set)
  const { path } = await visit.follow(await provider.walk(visit.away, login, jar))
  assert.equal(path, visit.path)
  return visit
}

const stateOn = async (visit: Visit) => /data-state="(\w+)"/.exec((await visit.go(`${visit.path}/region`)).text)?.[1]

const markOf = async (visit: Visit, seen = '') => {
  const { status, text } = await visit.go(`${visit.path}/news?seen=${seen}`)
  assert.equal(status, 200)
  return (JSON.parse(text) as { mark: string }).mark
}

/** Where the way on leads, whether or not the page shows it. */
async function goOn(visit: Visit) {
  const { interaction_uid: uid } = await sessionOf(visit.path)
  return visit.follow(`/signin/oidc/auth/${uid}`)
}

async function assertKeptOut(visit: Visit) {
  assert.equal(await finishPath(visit as never), '', 'the page leads nowhere')
  const { path, away } = await goOn(visit)
  assert.deepEqual([path, away], [visit.path, undefined])
  const codes = stage.db.selectFrom('oidc_records').select('kind').where('kind', '=', 'AuthorizationCode')
  assert.deepEqual(await codes.execute(), [])
}

async function logOf(visit: Visit) {
  const { auth_log_id: id } = await sessionOf(visit.path)
  return stage.db
    .selectFrom('auth_logs')
    .select(['result', 'failure_reason', 'person_id', 'device_id', 'device_name'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** As if nothing had happened in them for an hour. */
const endIdleLogs = () => expireAuthLogs(stage.db, () => ({ ...change(), now: plusMs(stage.now(), hourMs) }))

const boundSubjects = async ({ person }: Set) => {
  const bound = stage.db.selectFrom('person_identities').select('subject').where('person_id', '=', person.id)
  return (await bound.execute()).map(({ subject }) => subject)
}

/** The directory has Ana; returns what takes her out of it. */
async function inDirectory({ person }: Set) {
  await scim.begin()
  const user = { userName: 'ana@example.com', emails: [{ value: 'ana@example.com', primary: true }], active: true }
  const made = await scim.ask('POST', '/Users', { body: { schemas: [userUrn], ...user } })
  assert.deepEqual([made.status, made.body.id], [201, person.id])
  return async () => {
    const Operations = [{ op: 'replace', path: 'active', value: false }]
    const { status, body } = await scim.ask('PATCH', `/Users/${person.id}`, {
      body: { schemas: [patchUrn], Operations },
    })
    assert.deepEqual([status, body.active], [200, false])
  }
}

test('a person whom the directory deactivates while her page is open is told so at once, and gets no code', async () => {
  const set = await setUp(provider.issuer)
  const deactivate = await inDirectory(set)
  const [visit, unproved] = [await arrive(set), await arrive(set)]
  assert.equal((await proveIn(visit, set)).state, 'passed')
  const pages = [visit, unproved]
  const seen = await Promise.all(pages.map((page) => markOf(page)))
  const held = pages.map((page, index) => markOf(page, seen[index]))
  await deactivate()
  for (const [index, page] of pages.entries()) {
    assert.notEqual(await held[index], seen[index])
    assert.equal(await stateOn(page), 'unknown_person')
    assert.match((await page.go(page.path)).text, /isn’t on .* list/)
    await assertKeptOut(page)
  }
  await endIdleLogs()
  const { result, failure_reason: reason, person_id: personId } = await logOf(visit)
  assert.deepEqual([result, reason, personId], ['Fail', 'person_deprovisioned', set.person.id])
  const again = await arrive(set)
  assert.equal((await proveIn(again, set)).state, 'unknown_person')
  await assertKeptOut(again)
})

test('a code of a person whom the directory has deactivated since is not redeemed', async () => {
  const set = await setUp(provider.issuer)
  const deactivate = await inDirectory(set)
  const codeOf = async () => {
    const visit = await arrive(set)
    assert.equal((await proveIn(visit, set)).state, 'passed')
    const { away = '' } = await goOn(visit)
    assert.match(away, /[?&]code=/)
    return away
  }
  const [redeemed, kept] = [await codeOf(), await codeOf()]
  assert.equal((await tokensOf(set, redeemed)).status, 200)
  await deactivate()
  const { status, body } = await tokensOf(set, kept)
  assert.deepEqual([status, body['error'], body['id_token']], [400, 'invalid_grant', undefined])
})

test('of two laptops of a person the blocked one keeps her out, and the good one lets her in', async () => {
  const set = await setUp(provider.issuer)
  const check = await make.check(set.organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  await make.result({ device: set.device, check, rows: 'FAIL', at: stage.now() })
  const good = await make.device(set.organizationId, { name: 'ana-x2' })
  const companion = await addKey(good.id)
  await make.result({ device: good, check, rows: 'PASS', at: stage.now() })
  await transact(stage.db, (tx) => registerDevice(tx, { deviceId: good.id, personId: set.person.id }, change()))
  const jar = new Map<string, string>()
  const [onBlocked, onGood] = [await arrive(set, 'ana-7', jar), await arrive(set, 'ana-7', jar)]
  assert.equal((await proveIn(onBlocked, set)).state, 'blocked')
  assert.equal((await proveIn(onGood, { companion })).state, 'passed')
  await assertKeptOut(onBlocked)
  const { status, body } = await tokensOf(set, (await goOn(onGood)).away ?? '')
  assert.equal(status, 200)
  const claims = JSON.parse(Buffer.from((body['id_token'] ?? '').split('.')[1] ?? '', 'base64url').toString())
  assert.equal(claims.device_context.externalId, good.id)
  assert.equal(await stateOn(onBlocked), 'blocked', 'the good laptop opens nothing on the other one')
  assert.equal((await goOn(onBlocked)).away, undefined)
  await endIdleLogs()
  const person = { person_id: set.person.id }
  assert.deepEqual(await logOf(onBlocked), {
    ...{ result: 'Fail', failure_reason: 'blocked_by_issues', ...person },
    ...{ device_id: set.device.id, device_name: 'ana-x1' },
  })
  assert.deepEqual(await logOf(onGood), {
    ...{ result: 'Success', failure_reason: null, ...person },
    ...{ device_id: good.id, device_name: 'ana-x2' },
  })
})

test('once her accounts are forgotten, the next account with her address is bound to her, alone', async () => {
  const set = await setUp(provider.issuer)
  await arrive(set, 'ana-7')
  assert.deepEqual(await boundSubjects(set), ['ana-7'])
  await transact(stage.db, (tx) => forgetIdentities(tx, { personId: set.person.id }, change()))
  assert.deepEqual(await boundSubjects(set), [])
  const visit = await arrive(set, 'ana-8')
  assert.equal((await sessionOf(visit.path)).person_id, set.person.id)
  assert.deepEqual(await boundSubjects(set), ['ana-8'])
  assert.equal((await proveIn(visit, set)).state, 'passed')
  assert.equal((await tokensOf(set, (await goOn(visit)).away ?? '')).status, 200)
})
