import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { engine } from '../../../test/support/database.ts'
import { sourceAt } from '../../../test/support/source-at.ts'
import { newChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { type HashedEntry, hashEntry } from './hash-entry.ts'
import { firstHash, recordAudit } from './record-audit.ts'
import { verifyChain } from './verify-chain.ts'

const trial = testApp()
const { ask, addTenant } = trial
const now = '2026-11-20T10:00:00.123Z'
const actor = {
  type: 'User',
  id: '7',
  name: 'Maya "M" Lindqvist',
  email: 'maya@acme.example',
  source: sourceAt('192.0.2.1'),
} as const

const record = (organizationId: string, description: string) =>
  transact(trial.db, (tx) =>
    recordAudit(tx, { action: 'device.updated', about: {}, description }, newChange(actor, organizationId, now)),
  )

const chainOf = (organizationId: string) =>
  trial.db.selectFrom('audit_logs').selectAll().where('organization_id', '=', organizationId).orderBy('id').execute()

test('listAuditLogs shows the newest first and getAuditLog each of them', async () => {
  const { organizationId, key } = await addTenant()
  await record(organizationId, 'Renamed the device "Atlas" from "Old" to "New".')
  const { body } = await ask('GET', '/audit_logs', { key })
  const descriptions = body.data.map((entry: { description: string }) => entry.description)
  assert.equal(descriptions.length, 4)
  assert.equal(descriptions[0], 'Renamed the device "Atlas" from "Old" to "New".')
  assert.equal(descriptions[3], 'Created the organization "Globex".')
  const [newest] = body.data
  assert.deepEqual(newest, {
    id: newest.id,
    timestamp: now,
    actor_name: actor.name,
    description: 'Renamed the device "Atlas" from "Old" to "New".',
    actor_info: { actor_name: actor.name, actor_email: actor.email, actor_type: 'User' },
  })
  for (const entry of body.data) {
    const one = await ask('GET', `/audit_logs/${entry.id}`, { key })
    assert.deepEqual([one.status, one.body], [200, entry])
  }
})

test('an audit log of another organization and one that never was are the same 404', async () => {
  const other = await addTenant()
  const foreign = (await ask('GET', '/audit_logs?per_page=1', { key: other.key })).body.data[0].id
  const never = await ask('GET', '/audit_logs/999999')
  assert.deepEqual([never.status, never.body], [404, { error: 'not_found', message: 'There is no such record.' }])
  assert.deepEqual((await ask('GET', `/audit_logs/${foreign}`)).body, never.body)
})

test('audit logs are found by time, actor and description', async () => {
  const { organizationId, key } = await addTenant('Initech')
  await record(organizationId, 'Deleted 100% of nothing.')
  const find = async (query: string) => {
    const { body } = await ask('GET', `/audit_logs?query=${encodeURIComponent(query)}`, { key })
    return body.data.map((entry: { description: string }) => entry.description)
  }
  assert.deepEqual(await find('description~"100%"'), ['Deleted 100% of nothing.'])
  assert.deepEqual(await find('actor_name~LINDQVIST AND timestamp>2026-11-20T10:00:00.122Z'), [
    'Deleted 100% of nothing.',
  ])
  assert.deepEqual(await find(`timestamp:"${now}"`), ['Deleted 100% of nothing.'])
  assert.equal((await find('description~"API key" OR actor_name:Nobody')).length, 2)
})

test('each entry carries the hash of the one before, from the first on', async () => {
  const { organizationId } = await addTenant()
  await record(organizationId, 'Did one more thing — 設定 🔧 \ud800.')
  let previous = Buffer.from(firstHash)
  for (const entry of await chainOf(organizationId)) {
    assert.deepEqual(entry.previous_hash, previous)
    assert.deepEqual(hashEntry(previous, entry), entry.hash, 'the hash is of what is stored')
    previous = Buffer.from(entry.hash)
  }
  const head = await trial.db
    .selectFrom('audit_heads')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  assert.deepEqual(head.last_hash, previous)
})

test('the database refuses to change, delete or truncate entries, also by way of another table', async () => {
  const before = await chainOf('1')
  for (const statement of [
    "update audit_logs set description = 'Did nothing.'",
    'delete from audit_logs',
    'truncate audit_logs',
    'truncate organizations cascade',
  ]) {
    await assert.rejects(trial.database.connection.executeScript(statement), /audit_logs is append-only/, statement)
  }
  assert.ok(before.length > 0)
  assert.deepEqual(await chainOf('1'), before)
})

test('any change of an entry changes its hash', () => {
  const entry = blank
  assertEachMemberCounts(entry)
  const whole = {
    ...entry,
    about: ['check:7'],
    action: 'check.configured',
    changes: [],
    cause: 'one',
    request_id: 'two',
  }
  assertEachMemberCounts(whole)
  assertEachMemberCounts({ ...whole, request_id: null })
})

test('no entry has the hash of one in another form', () => {
  // The same values in the members that another form has in their place.
  const of = (members: object) => hashEntry(firstHash, { ...blank, ...members } as HashedEntry).toString('hex')
  const hashes = [
    of({}),
    of({ about: ['x'] }),
    of({ action: 'a' }),
    of({ cause: 'a' }),
    of({ about: ['x'], action: 'a' }),
    of({ about: ['x'], cause: 'a' }),
    of({ request_id: 'a' }),
    of({ action: 'a', cause: 'a' }),
    of({ about: ['x'], action: 'a', cause: 'a' }),
  ]
  assert.equal(new Set(hashes).size, hashes.length)
})

test('the forms of the hash are as docs/audit-log.md describes them', async () => {
  const page = await readFile(new URL('../../../../docs/audit-log.md', import.meta.url), 'utf8')
  const block = /<!-- hashes:start -->\n\n```text\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  const pairs = block
    .trim()
    .split('\n\n')
    .map((pair) => pair.split('\n'))
  assert.deepEqual(
    pairs.map(([text = '']) => JSON.parse(text).length),
    [14, 12, 10, 9],
  )
  for (const [text = '', hash] of pairs) {
    const members: unknown[] = JSON.parse(text)
    const entry = Object.fromEntries(Object.keys(blank).map((name, index) => [name, members[index] ?? null]))
    assert.equal(hashEntry(firstHash, entry as HashedEntry).toString('hex'), hash)
    assert.equal(createHash('sha256').update(firstHash).update(text).digest('hex'), hash)
  }
})

const blank = {
  ...{ id: '4', organization_id: '1', timestamp: now, actor_type: 'User', actor_id: '7', actor_name: 'Maya' },
  ...{ actor_email: null, ip_address: null, description: 'Did it.' },
  ...{ about: null, action: null, changes: null, cause: null, request_id: null },
}

function assertEachMemberCounts(entry: HashedEntry): void {
  const hash = hashEntry(firstHash, entry).toString('hex')
  assert.notEqual(hashEntry(hashEntry(firstHash, entry), entry).toString('hex'), hash)
  for (const name of Object.keys(entry)) {
    assert.notEqual(hashEntry(firstHash, { ...entry, [name]: 'other' }).toString('hex'), hash, name)
  }
}

test('an entry keeps its action and its changes, and the hash covers both', async () => {
  const { organizationId } = await addTenant()
  const changes = [
    { field: 'options', from: { zeta: 1, alpha: [{ b: 2, a: 'x' }] }, to: {} },
    { field: 'note', from: null, to: 'No 設定' },
  ]
  const entry = { action: 'check.configured', about: { check: '7' }, description: 'Did it.', changes } as const
  await transact(trial.db, (tx) => recordAudit(tx, entry, newChange(actor, organizationId, now)))
  const stored = (await chainOf(organizationId)).at(-1)
  assert.deepEqual([stored?.action, stored?.changes], ['check.configured', changes])
  assert.ok((await verifyChain(trial.db, { organizationId })).isIntact)
  await trial.database.connection.executeScript(`
    drop trigger if exists audit_logs_append_only on audit_logs;
    update audit_logs set changes = jsonb_set(changes, '{1,to}', '"Yes"') where organization_id = ${organizationId} and id = ${stored?.id}`)
  assert.equal((await verifyChain(trial.db, { organizationId })).isIntact, false)
})

test('writers at the same time make one unbroken chain, in the order of the identifiers', async () => {
  const { organizationId } = await addTenant()
  const writers = engine === 'postgres' ? 16 : 4
  await Promise.all(Array.from({ length: writers }, (_, index) => record(organizationId, `Did thing ${index}.`)))
  const chain = await chainOf(organizationId)
  assert.equal(chain.length, 3 + writers)
  for (const [index, entry] of chain.entries())
    assert.deepEqual(entry.previous_hash, chain[index - 1]?.hash ?? firstHash)
})

test('what is rolled back leaves no entry and no gap in the chain', async () => {
  const { organizationId } = await addTenant()
  const before = await chainOf(organizationId)
  await assert.rejects(
    transact(trial.db, async (tx) => {
      await recordAudit(
        tx,
        { action: 'device.updated', about: {}, description: 'Did nothing.' },
        newChange(actor, organizationId, now),
      )
      throw new Error('no')
    }),
  )
  assert.deepEqual(await chainOf(organizationId), before)
  await record(organizationId, 'Did something.')
  assert.deepEqual((await chainOf(organizationId)).at(-1)?.previous_hash, before.at(-1)?.hash)
})
