import assert from 'node:assert/strict'
import { instantFromText } from '../../src/base/db/values.ts'
import { countedStatuses } from '../../src/compliance/standing/rules.ts'
import { authStateFor, isBlocking } from '../../src/inventory/devices/rules.ts'
import { hashEntry } from '../../src/signals/audit/hash-entry.ts'
import { firstHash } from '../../src/signals/audit/record-audit.ts'

type TextRow = Record<string, string | null>
export type Tables = (name: string) => TextRow[]

/** The rows of an export, by table, in PostgreSQL's own text forms. */
export function readExport(text: string): Tables {
  const tables = new Map<string, TextRow[]>()
  for (const line of text.trimEnd().split('\n')) {
    const { t: table, r: row } = JSON.parse(line) as { t?: string; r?: TextRow }
    if (table === undefined || row === undefined) continue
    const rows = tables.get(table)
    if (rows) rows.push(row)
    else tables.set(table, [row])
  }
  return (name) => tables.get(name) ?? []
}

const column = (row: TextRow, name: string): string => {
  const value = row[name]
  if (value === null || value === undefined) throw new Error(`${name} is missing`)
  return value
}
const moment = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : instantFromText(text)
const bytes = (text: string): Buffer => Buffer.from(text.slice(2), 'hex')
const keyOf = (row: TextRow): string => `${row['device_id']}/${row['check_id']}`

/** Everything that the tables say twice must agree; `now` is when they were read. */
export function assertConsistent(tables: Tables, now: string): void {
  assertChain(tables)
  assertTallies(tables)
  assertIssues(tables)
  assertAuthStates(tables, now)
}

function assertChain(tables: Tables): void {
  let previous: Buffer = firstHash
  const entries = tables('audit_logs').toSorted((one, other) => Number(one['id']) - Number(other['id']))
  for (const entry of entries) {
    const hashed = {
      id: column(entry, 'id'),
      organization_id: column(entry, 'organization_id'),
      timestamp: instantFromText(column(entry, 'timestamp')),
      actor_type: column(entry, 'actor_type'),
      actor_id: entry['actor_id'] ?? null,
      actor_name: column(entry, 'actor_name'),
      actor_email: entry['actor_email'] ?? null,
      ip_address: entry['ip_address'] ?? null,
      description: column(entry, 'description'),
      about: entry['about'] == null ? null : entry['about'].slice(1, -1).split(',').filter(Boolean),
      action: entry['action'] ?? null,
      changes: entry['changes'] == null ? null : JSON.parse(entry['changes']),
      cause: entry['cause'] ?? null,
      request_id: entry['request_id'] ?? null,
    }
    assert.deepEqual(bytes(column(entry, 'previous_hash')), previous, `entry ${entry['id']} follows the one before`)
    previous = hashEntry(previous, hashed)
    assert.deepEqual(bytes(column(entry, 'hash')), previous, `entry ${entry['id']} is as it was written`)
  }
  assert.ok(entries.length > 0)
  const [head] = tables('audit_heads')
  assert.deepEqual([head?.['last_id'], head && bytes(column(head, 'last_hash'))], [entries.at(-1)?.['id'], previous])
}

function assertTallies(tables: Tables): void {
  const differences = new Map<string, number>()
  const add = (row: TextRow, status: string, by: number) => {
    const key = `${column(row, 'check_id')} ${status}`
    differences.set(key, (differences.get(key) ?? 0) + by)
  }
  for (const row of tables('check_tallies')) {
    for (const status of ['counted', ...countedStatuses]) add(row, status, Number(row[status]))
  }
  for (const row of tables('check_results')) {
    const status = countedStatuses.find((one) => one === row['status'])
    if (status === undefined) continue
    add(row, 'counted', -1)
    add(row, status, -1)
  }
  const wrong = [...differences].filter(([, difference]) => difference !== 0)
  assert.deepEqual(wrong, [], 'tallies equal a count of the results')
}

/** Of checks with one row: those with several keep issues of rows that say nothing this time. */
function assertIssues(tables: Tables): void {
  const hasSeveral = new Map(tables('checks').map((check) => [check['id'], check['primary_key_column'] !== null]))
  const open = tables('issues').filter((issue) => issue['resolved_at'] === null)
  const openPairs = new Set(open.map(keyOf))
  for (const result of tables('check_results')) {
    const pair = keyOf(result)
    if (result['status'] === 'failing') assert.ok(openPairs.has(pair), `${pair} fails and has an open issue`)
    if (hasSeveral.get(result['check_id'] ?? null)) continue
    if (result['status'] === 'passing') assert.ok(!openPairs.has(pair), `${pair} passes and has no open issue`)
  }
  const identities = open.map((issue) => `${keyOf(issue)}/${issue['issue_value']}`)
  assert.equal(new Set(identities).size, identities.length, 'nothing is open twice')
}

function assertAuthStates(tables: Tables, now: string): void {
  const configurations = new Map(tables('check_configurations').map((row) => [row['check_id'], row]))
  // What a recomputation that is under way has not reached yet is decided by it, not by its issues alone.
  const unsettled = tables('check_recomputations').filter((row) => row['finished_at'] === null)
  assert.deepEqual(unsettled, [], 'every change of configuration has been worked through')
  const issues = Map.groupBy(
    tables('issues').filter((issue) => issue['resolved_at'] === null),
    (issue) => issue['device_id'],
  )
  for (const device of tables('devices')) {
    const states = (issues.get(device['id'] ?? null) ?? []).map((issue) => {
      const configuration = configurations.get(issue['check_id'])
      const strategy = configuration?.['remediation_strategy']
      const isPaused = configuration?.['paused_at'] !== null
      const blocks = !isPaused && isBlocking({ remediation_strategy: strategy as 'report_only' })
      return {
        exempted: issue['exempted'] === 'true',
        blocks_device_at: blocks ? moment(issue['blocks_device_at']) : null,
        is_shown:
          strategy !== 'report_only' &&
          !isPaused &&
          (issue['hold_id'] === null || issue['told_before_block'] === 'true'),
      }
    })
    const expected = authStateFor(states, { isRegistered: device['registered_owner_id'] !== null }, now)
    const stored = { auth_state: device['auth_state'], will_block_at: moment(device['will_block_at']) }
    assert.deepEqual(stored, expected, `the state of device ${device['id']} follows from its open issues`)
  }
}
