import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { sourceAt } from '../../../test/support/source-at.ts'
import { newChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { type ChainHead, readChainHead } from './chain-head.ts'
import { hashEntry } from './hash-entry.ts'
import { firstHash, recordAudit } from './record-audit.ts'
import { type Verdict, verifyChain } from './verify-chain.ts'

const trial = testApp()
const actor = {
  type: 'User',
  id: '7',
  name: 'Maya',
  email: 'maya@acme.example',
  source: sourceAt('192.0.2.1'),
} as const
const maxAtOnce = 3

const organizationId = () => trial.tenant.organizationId
const record = (description: string) =>
  transact(trial.db, (tx) =>
    recordAudit(
      tx,
      { action: 'device.updated', about: { device: '7' }, description },
      newChange(actor, organizationId(), trial.now()),
    ),
  )
const entries = () =>
  trial.db.selectFrom('audit_logs').selectAll().where('organization_id', '=', organizationId()).orderBy('id').execute()
const head = () => readChainHead(trial.db, organizationId())
const verify = (exported?: ChainHead) =>
  verifyChain(trial.db, { organizationId: organizationId(), head: exported, batch: maxAtOnce })

/** Entry and fault, or undefined where the log is intact. */
const faultOf = (verdict: Verdict) => (verdict.isIntact ? undefined : [verdict.entry?.id ?? null, verdict.fault])

/** What someone does who has the database to themselves, and with it no trigger in the way. */
const tamper = (statement: string) => trial.database.connection.executeScript(statement)

const unlike = 'is not as it was written'
const apart = 'does not follow the one before: an entry was removed, added or changed, or the order is another'

beforeEach(async () => {
  await trial.reset()
  await tamper('drop trigger if exists audit_logs_append_only on audit_logs')
  for (let made = 0; made < 7; made += 1) await record(`Did thing ${made}.`)
})

test('a log that nobody touched is intact, with and without an export, also across batches', async () => {
  const exported = await head()
  const log = await entries()
  const last = log.at(-1)
  const intact = { isIntact: true, count: log.length, lastId: last?.id, hash: last?.hash.toString('hex') }
  assert.deepEqual(exported, {
    organizationId: organizationId(),
    lastId: last?.id,
    hash: last?.hash.toString('hex'),
    count: log.length,
  })
  assert.deepEqual(await verify(), intact)
  assert.deepEqual(await verify(exported), intact)
  await record('Went on.')
  assert.equal(faultOf(await verify(exported)), undefined)
  const organization = { organizationId: '900000000000000001' }
  const empty = { isIntact: true, count: 0, lastId: '0', hash: firstHash.toString('hex') }
  assert.deepEqual(await verifyChain(trial.db, organization), empty)
  const nothing = await readChainHead(trial.db, organization.organizationId)
  assert.deepEqual(nothing, { ...organization, lastId: '0', hash: firstHash.toString('hex'), count: 0 })
  assert.deepEqual(await verifyChain(trial.db, { ...organization, head: nothing }), empty)
})

const changes: [column: string, value: string][] = [
  ['timestamp', "timestamp + interval '1 millisecond'"],
  ['actor_type', "'System'"],
  ['actor_id', '8'],
  ['actor_id', 'null'],
  ['actor_name', "'Mallory'"],
  ['actor_email', "''"],
  ['actor_email', 'null'],
  ['ip_address', "'192.0.2.2'"],
  ['description', "description || ' '"],
  ['about', 'null'],
  ['about', "'{}'"],
  ['about', "'{device:8}'"],
  ['about', "about || '{check:8}'"],
  ['hash', 'sha256(hash)'],
]

for (const [column, value] of changes) {
  test(`a change of ${column} to ${value} is found at its entry`, async () => {
    const changed = (await entries())[4]
    assert.ok(changed)
    await tamper(`update audit_logs set ${column} = ${value} where id = ${changed.id}`)
    assert.deepEqual(faultOf(await verify()), [changed.id, unlike])
  })
}

test('a change of previous_hash is found at its entry', async () => {
  const changed = (await entries())[4]
  await tamper(`update audit_logs set previous_hash = sha256(previous_hash) where id = ${changed?.id}`)
  assert.deepEqual(faultOf(await verify()), [changed?.id, apart])
})

test('a change of an identifier is found, whether or not it changes the order', async () => {
  const log = await entries()
  await tamper(`update audit_logs set id = id + 1000 where id = ${log.at(-1)?.id}`)
  assert.deepEqual(faultOf(await verify()), [String(Number(log.at(-1)?.id) + 1000), unlike])
  await tamper(`update audit_logs set id = -5 where id = ${log[3]?.id}`)
  assert.deepEqual(faultOf(await verify()), ['-5', apart])
})

test('an entry moved to another organization is missed in the one and a stranger in the other', async () => {
  const other = await trial.addTenant()
  const log = await entries()
  await tamper(`update audit_logs set organization_id = ${other.organizationId} where id = ${log[4]?.id}`)
  assert.deepEqual(faultOf(await verify()), [log[5]?.id, apart])
  assert.deepEqual(faultOf(await verifyChain(trial.db, { organizationId: other.organizationId })), [log[4]?.id, apart])
})

test('a removed entry is found at the one that followed it', async () => {
  const log = await entries()
  for (const index of [0, 4]) {
    await tamper(`delete from audit_logs where id = ${log[index]?.id}`)
    assert.deepEqual(faultOf(await verify()), [log[index + 1]?.id, apart])
    await tamper(`insert into audit_logs overriding system value select * from jsonb_populate_record(null::audit_logs,
      '${JSON.stringify(asJson(log[index] ?? assert.fail()))}')`)
    assert.equal(faultOf(await verify()), undefined, 'put back, it is as it was')
  }
})

const asJson = (entry: Awaited<ReturnType<typeof entries>>[number]) => ({
  ...entry,
  hash: `\\x${entry.hash.toString('hex')}`,
  previous_hash: `\\x${entry.previous_hash.toString('hex')}`,
})

test('entries removed from the end are missed by what the database notes, and by an export if that is changed too', async () => {
  const exported = await head()
  const log = await entries()
  const [cut, end] = [log.at(-3), log.at(-4)]
  await tamper(`delete from audit_logs where id >= ${cut?.id}`)
  const noted = `The log ends with entry ${end?.id}, but the last one written was entry ${log.at(-1)?.id}: entries were removed from its end, or added`
  assert.deepEqual(faultOf(await verify()), [null, noted])
  await tamper(`update audit_heads set last_id = ${end?.id}, last_hash = '\\x${end?.hash.toString('hex')}'
    where organization_id = ${organizationId()}`)
  assert.equal(faultOf(await verify()), undefined, 'nothing in the database tells')
  const missed = `The log ends with entry ${end?.id}, before the exported entry ${exported.lastId}: entries were removed from its end`
  assert.deepEqual(faultOf(await verify(exported)), [null, missed])
  await record('Carried on as if nothing had been.')
  const next = (await entries()).at(-1)
  const rewritten = `stands where the exported entry ${exported.lastId} is missing: the log was written again`
  assert.deepEqual(faultOf(await verify(exported)), [next?.id, rewritten])
})

test('an emptied log is found', async () => {
  const exported = await head()
  await tamper('delete from audit_logs')
  assert.match(String(faultOf(await verify())), /The log is empty, but the last one written was entry \d+/)
  await tamper('delete from audit_heads')
  assert.equal(faultOf(await verify()), undefined)
  assert.match(String(faultOf(await verify(exported))), /The log is empty, before the exported entry \d+/)
})

test('an added entry is found, wherever it is put and however it is chained', async () => {
  const log = await entries()
  const like = (id: string, previous: Buffer) => {
    const entry = { ...(log[4] ?? assert.fail()), id, description: 'Did nothing wrong.' }
    return asJson({ ...entry, previous_hash: previous, hash: hashEntry(previous, entry) })
  }
  const add = (entry: object) =>
    tamper(`insert into audit_logs overriding system value select * from jsonb_populate_record(null::audit_logs,
      '${JSON.stringify(entry)}')`)
  const last = log.at(-1) ?? assert.fail()
  const first = log[0] ?? assert.fail()
  const places: [id: string, previous: Buffer, found: string | null][] = [
    [String(Number(last.id) + 1), last.hash, null],
    [String(Number(last.id) + 1), firstHash, String(Number(last.id) + 1)],
    ['0', firstHash, first.id],
    ['-7', firstHash, first.id],
  ]
  for (const [id, previous, found] of places) {
    await add(like(id, previous))
    assert.equal(faultOf(await verify())?.[0], found, id)
    await tamper(`delete from audit_logs where id = ${id}`)
  }
})

test('two entries that change places are found', async () => {
  const [, , one, two] = await entries()
  await tamper(`
    update audit_logs set id = -1 where id = ${one?.id};
    update audit_logs set id = ${one?.id} where id = ${two?.id};
    update audit_logs set id = ${two?.id} where id = -1`)
  assert.deepEqual(faultOf(await verify()), [one?.id, apart])
})

/** Changes an entry and all hashes after it, what the database notes included. */
async function rewriteFrom(index: number, description: string) {
  const log = await entries()
  let previous = log[index]?.previous_hash ?? assert.fail()
  for (const [place, entry] of log.entries()) {
    if (place < index) continue
    const changed = place === index ? { ...entry, description } : entry
    const hash = hashEntry(previous, changed)
    await trial.db
      .updateTable('audit_logs')
      .set({ description: changed.description, previous_hash: previous, hash })
      .where('organization_id', '=', organizationId())
      .where('id', '=', entry.id)
      .execute()
    previous = hash
  }
  await trial.db
    .updateTable('audit_heads')
    .set({ last_hash: previous })
    .where('organization_id', '=', organizationId())
    .execute()
}

test('a log that was computed again after a change is told by an export alone', async () => {
  const exported = await head()
  await record('Went on.')
  await rewriteFrom(4, 'Did something else.')
  assert.equal(faultOf(await verify()), undefined, 'nothing in the database tells')
  const fault = 'is not the one that was exported: the log up to it was written again'
  assert.deepEqual(faultOf(await verify(exported)), [exported.lastId, fault])
})

test('an export that is older than the change does not tell, and a newer one does', async () => {
  const older = await head()
  await record('Went on.')
  const newer = await head()
  await rewriteFrom(older.count, 'Did something else.')
  assert.equal(faultOf(await verify(older)), undefined)
  assert.deepEqual(faultOf(await verify(newer))?.[0], newer.lastId)
})

test('entries from before they noted what they are about are as they were written, and cannot be given it', async () => {
  const { id, hash: previous } = (await entries()).at(-1) ?? assert.fail()
  const old = { ...((await entries()).at(-1) ?? assert.fail()), id: String(Number(id) + 1), about: null }
  const entry = { ...old, previous_hash: previous, hash: hashEntry(previous, old) }
  await tamper(`insert into audit_logs overriding system value select * from jsonb_populate_record(null::audit_logs,
    '${JSON.stringify(asJson(entry))}')`)
  await tamper(`update audit_heads set last_id = ${entry.id}, last_hash = '\\x${entry.hash.toString('hex')}'
    where organization_id = ${organizationId()}`)
  await tamper(`select setval(pg_get_serial_sequence('audit_logs', 'id'), ${entry.id})`)
  await record('Went on.')
  assert.equal(faultOf(await verify()), undefined)
  await tamper(`update audit_logs set about = '{device:7}' where id = ${entry.id}`)
  assert.deepEqual(faultOf(await verify()), [entry.id, unlike])
})

test('the size of a batch does not change what is found', async () => {
  const log = await entries()
  for (const batch of [1, 2, log.length, log.length + 1]) {
    const verdict = await verifyChain(trial.db, { organizationId: organizationId(), batch })
    assert.equal(verdict.isIntact && verdict.count, log.length)
  }
})

test('a walk ends when its caller is gone', async () => {
  const signal = AbortSignal.abort(new Error('gone'))
  await assert.rejects(verifyChain(trial.db, { organizationId: organizationId(), signal }), { message: 'gone' })
})

testOnPostgres('a log is intact while others write it', async () => {
  let isDone = false
  const writing = async (writer: number) => {
    for (let made = 0; made < 40; made += 1) await record(`Writer ${writer} did thing ${made}.`)
  }
  const writers = Promise.all([1, 2, 3, 4].map(writing)).finally(() => {
    isDone = true
  })
  let walks = 0
  while (!isDone) {
    trial.setNow(plusMs(trial.now(), 1))
    const exported = await head()
    assert.equal(faultOf(await verify(exported)), undefined)
    walks += 1
  }
  await writers
  assert.ok(walks > 0)
  assert.equal(faultOf(await verify()), undefined)
})
