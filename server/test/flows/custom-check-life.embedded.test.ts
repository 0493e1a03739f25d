import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, test } from 'node:test'
import { systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import { updateConfiguration } from '../../src/checks/configuration/update-configuration.ts'
import { deleteCustomCheck } from '../../src/checks/definitions/delete-custom-check.ts'
import { removeCheck } from '../../src/checks/definitions/remove-check.ts'
import { createDraft } from '../../src/checks/drafts/create-draft.ts'
import { editDraft } from '../../src/checks/drafts/edit-draft.ts'
import { publishDraft } from '../../src/checks/drafts/publish-draft.ts'
import { recomputeCheck } from '../../src/compliance/targeting/recompute-check.ts'
import { testAgents } from '../support/agent-server.ts'
import { contextAt, makeIn } from '../support/make.ts'
import type { QueryResult } from '../support/osquery-client.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)
const never = new AbortController().signal

let organizationId: string
beforeEach(async () => {
  await agents.reset()
  organizationId = (await make.organization()).id
})

const draft = {
  name: 'Hosts file is untouched',
  description: 'Looks for names that lead elsewhere.',
  platforms: ['linux'],
  osquery_sql: `SELECT hostnames, address, CASE WHEN address LIKE {{ options.home | sql_text }} THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM etc_hosts`,
  options: { home: { kind: 'text', title: 'Home', description: 'Addresses.', default: '127.%', maxLength: 40 } },
  requires_primary_key: true,
  primary_key_column: 'hostnames',
  issue_title: 'The hosts file redirects a name',
  rationale_template: 'A name that leads elsewhere can send your password to a stranger.',
  fix_instructions_template: '1. Remove the name.',
  privacy_info: 'Names in the hosts file.',
}

const by = () => systemChange(organizationId, agents.now())
const context = () => contextAt(agents.now())

/** A laptop with a hosts file, which runs whatever SQL it is asked. */
function answer(sql: string): QueryResult {
  const laptop = new DatabaseSync(':memory:')
  try {
    laptop.exec(`create table etc_hosts (address text, hostnames text);
      insert into etc_hosts values ('127.0.0.1', 'localhost'), ('203.0.113.9', 'bank.example')`)
    return { rows: laptop.prepare(sql).all() as Record<string, string>[] }
  } finally {
    laptop.close()
  }
}

const statesOf = async (deviceId: string) => {
  const results = await database.db.selectFrom('check_results').select(['status', 'query_revision']).execute()
  const issues = await database.db
    .selectFrom('issues')
    .select('issue_value')
    .where('resolved_at', 'is', null)
    .orderBy('issue_value')
    .execute()
  const device = await database.db
    .selectFrom('devices')
    .select('auth_state')
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()
  return {
    results: results.map(({ status, query_revision: revision }) => `${status} ${revision ?? '-'}`),
    issues: issues.map(({ issue_value: value }) => value),
    device: device.auth_state,
  }
}

test('a custom check from its draft to its end, with an agent that runs it', async () => {
  const { client, deviceId } = await agents.enrolled(organizationId)
  const owner = await make.person(organizationId)
  const registered = { registered_owner_id: owner.id, registered_at: agents.now() }
  await database.db.updateTable('devices').set(registered).where('id', '=', deviceId).execute()
  assert.deepEqual((await client.read()).queries, {})

  const draftId = await transact(database.db, (tx) => createDraft(tx, { input: draft }, by()))
  const publish = () => transact(database.db, (tx) => publishDraft(tx, { draftId }, by()))
  const checkId = await publish()
  const recompute = () => recomputeCheck(database.db, { organizationId, checkId }, context, never)
  await recompute()
  assert.deepEqual(await statesOf(deviceId), { results: ['pending -'], issues: [], device: 'good' })

  const request = { remediation_strategy: 'block_immediately' } as const
  await transact(database.db, (tx) => updateConfiguration(tx, { checkId, request }, by()))
  const { queries } = await client.read()
  assert.deepEqual(Object.values(queries), [draft.osquery_sql.replace('{{ options.home | sql_text }}', "'127.%'")])
  agents.pass(1)
  await client.write(Object.fromEntries(Object.entries(queries).map(([name, sql]) => [name, answer(sql)])))
  const failing = { results: ['failing 1'], issues: ['bank.example'], device: 'blocked' }
  assert.deepEqual(await statesOf(deviceId), failing)

  agents.pass(60)
  const input = { options: { home: { ...draft.options.home, default: '%.%' } } }
  await transact(database.db, (tx) => editDraft(tx, { draftId, input }, by()))
  assert.equal(await client.answerAll(answer), 0, 'an edit that is not published asks nobody')
  await publish()
  await recompute()
  assert.deepEqual(await statesOf(deviceId), { ...failing, results: ['stale 1'] })
  assert.equal(await client.answerAll(answer), 1)
  assert.deepEqual(await statesOf(deviceId), { results: ['passing 2'], issues: [], device: 'good' })

  agents.pass(60)
  await transact(database.db, (tx) => editDraft(tx, { draftId, input: { options: draft.options } }, by()))
  await publish()
  assert.equal(await client.answerAll(answer), 1)
  assert.deepEqual(await statesOf(deviceId), { ...failing, results: ['failing 3'] })

  agents.pass(3_700)
  const late = await client.read()
  assert.equal(Object.keys(late.queries).length, 1)
  await transact(database.db, (tx) => deleteCustomCheck(tx, { checkId }, by()))
  await client.write(Object.fromEntries(Object.entries(late.queries).map(([name, sql]) => [name, answer(sql)])))
  assert.equal(await client.answerAll(answer), 0, 'agents are not asked from then on')
  await removeCheck(database.db, { organizationId, checkId }, context, never)
  assert.deepEqual(await statesOf(deviceId), { results: [], issues: [], device: 'good' })
  const events = await database.db.selectFrom('events').select('type').orderBy('id').execute()
  const told = events.map(({ type }) => type).filter((type) => type.startsWith('issues.'))
  assert.deepEqual(told, ['issues.new', 'issues.resolved', 'issues.new', 'issues.resolved'])
  assert.deepEqual(agents.server.logged, [])
})
