import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { ownVersion } from '../../http/own-version.ts'
import { statusCommand } from './status-command.ts'

const trial = testApp()
const make = makeIn(trial)
const now = '2026-11-20T10:00:00.000Z'
const run = commandsOn(trial, now)

beforeEach(() => trial.reset())

const seen = (device: { id: string; organization_id: string }, last_seen_at: string) => {
  const { id: device_id, organization_id } = device
  return trial.db.insertInto('device_presence').values({ device_id, organization_id, last_seen_at }).execute()
}

async function fill(organizationId: string) {
  const ana = await make.person(organizationId)
  const owned = { registered_owner_id: ana.id }
  const blocked = await make.device(organizationId, owned)
  const good = await make.device(organizationId, owned)
  const stale = await make.device(organizationId, owned)
  await make.device(organizationId)
  const check = await make.check(organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  const issue = await make.issue({ device: blocked, check })
  await make.exemptionRequest({ device: blocked, person: ana, issues: [issue] })
  for (const one of [blocked, good]) await seen(one, now)
  await seen(stale, '2026-11-01T10:00:00.000Z')
  const failing_since = '2026-11-20T09:00:00.000Z'
  const hook = await make.webhookEndpoint(organizationId)
  await trial.db.updateTable('webhook_standings').set({ failing_since }).where('endpoint_id', '=', hook.id).execute()
  const stream = await make.stream(organizationId, { endpoint_url: 'https://receiver.example.com/events' })
  await trial.db
    .updateTable('ssf_stream_deliveries')
    .set({ failing_since })
    .where('stream_id', '=', stream.id)
    .execute()
  await make.stream(organizationId)
}

test('the status of one organization is what the console counts of it', async () => {
  const { organizationId } = trial.tenant
  await fill(organizationId)
  await fill((await trial.addTenant('Other')).organizationId)
  await sql`insert into worker_heartbeats (worker_id, started_at, beat_at)
    values (gen_random_uuid(), clock_timestamp(), clock_timestamp())`.execute(trial.db)
  const { out, err } = await run(statusCommand, { organization: organizationId, json: true })
  const { workers, organization, ...status } = JSON.parse(out)
  assert.deepEqual(status, {
    version: ownVersion,
    address: trial.config.baseUrl,
    devices: { good: 1, notified: 0, will_block: 0, blocked: 1, stale: 1, never: 1 },
    ...{ open_issues: 1, people: 1, waiting_requests: 1 },
    connections: { enforce: 0, observe: 0, paused: 0, disabled: 0 },
    streams: { count: 2, failing: 1 },
    webhooks: { count: 1, failing: 1 },
  })
  assert.equal(organization.id, organizationId)
  assert.deepEqual([workers.running, err], [1, ''])
  const shown = (await run(statusCommand, { organization: organizationId })).out
  assert.match(shown, /^devices: +1 Good, 1 Blocked, 1 not seen for 7 days, 1 never seen$/m)
  assert.match(shown, /^streams: +2, 1 failing$/m)
  assert.match(shown, /^connections: +none$/m)
  assert.match(shown, /^workers: +1 running, last heard of \d+ s ago$/m)
})

test('the status says when nothing works in the background', async () => {
  assert.match((await run(statusCommand, {})).out, /^workers: +No worker is running\. Start `muster worker`/m)
})
