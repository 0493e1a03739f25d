import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { contextAt, makeIn } from '../../../test/support/make.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { recomputeCheck } from '../../compliance/targeting/recompute-check.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { announce } from '../../signals/events/announce.ts'
import { auditCommands } from './audit-commands.ts'

const trial = testApp()
const make = makeIn(trial)
const now = '2026-11-20T11:00:00.000Z'

const run = commandsOn(trial, now)

beforeEach(() => trial.reset())

test('the first faulty entry is shown without its control characters, and the exit code says so', async () => {
  const { organizationId } = trial.tenant
  const entry = { action: 'records.exported', about: {}, description: 'Did \u001b[31m it.' } as const
  await transact(trial.db, (tx) => recordAudit(tx, entry, systemChange(organizationId, now)))
  const { rows } = await trial.db.executeQuery<{ id: string }>({
    ...trial.db.selectFrom('audit_logs').select('id').orderBy('id', 'desc').limit(1).compile(),
  })
  const id = rows[0]?.id
  await trial.database.connection.executeScript(`
    drop trigger if exists audit_logs_append_only on audit_logs;
    update audit_logs set actor_name = 'Mallory' where id = ${id}`)
  assert.deepEqual(await run(auditCommands.verify, {}), {
    exit: 1,
    out: `The audit log of Acme is NOT intact: entry ${id} is not as it was written\n  {"timestamp":"${now}","actor":"Mallory","description":"Did \\u001b[31m it."}\n`,
    err: '',
  })
})

test('a head is of one organization, and names it where there are several', async () => {
  const other = await trial.addTenant()
  await assert.rejects(run(auditCommands.verify, {}), /Say which organization/)
  const head = JSON.parse((await run(auditCommands.head, { organization: 'Globex' })).out)
  assert.deepEqual(
    { ...head, hash: '', mac: '' },
    {
      format: 'muster audit head',
      version: 1,
      organization_id: other.organizationId,
      last_id: head.last_id,
      hash: '',
      count: 3,
      exported_at: now,
      mac: '',
    },
  )
  const verified = await run(auditCommands.verify, { head })
  assert.equal(verified.exit, 0)
  assert.match(verified.out, /^The audit log of Globex is intact: 3 entries/)
  await assert.rejects(
    run(auditCommands.verify, { organization: 'Acme', head }),
    /^CommandError: The head is of organization/,
  )
  for (const forged of [{ count: 4 }, { last_id: '1' }, { exported_at: '' }, { mac: 'ab'.repeat(16) }]) {
    await assert.rejects(run(auditCommands.verify, { head: { ...head, ...forged } }), /The head was changed/)
  }
})

test('why a device is as it is: each change of its state with what caused it, also by two saves', async () => {
  const { organizationId } = trial.tenant
  const owner = await make.person(organizationId)
  const device = await make.device(organizationId, { name: 'mac \u001b[31m', registered_owner_id: owner.id })
  const check = await make.check(organizationId, { name: 'FileVault is on' })
  const why = async () => (await run(auditCommands.why, { device: device.id })).out
  const head = `Device ${device.id}, mac \u{FFFD}[31m`
  assert.equal(await why(), `${head}: Good\n  Its state did not change within the last 30 days\n`)
  await make.issue({ device, check, at: trial.now() })
  const save = async (requestId: string, body: object) => {
    const path = `/checks/${check.id}/configurations`
    const { status } = await trial.ask('PATCH', path, { body, headers: { 'x-request-id': requestId } })
    assert.equal(status, 200)
    return trial.db.selectFrom('audit_logs').select(['id', 'cause']).orderBy('id', 'desc').executeTakeFirstOrThrow()
  }
  const first = await save('one', { remediation_strategy: 'block_immediately' })
  const second = await save('two', { snooze_disallowed: true, blocking_allowed_groups: [] })
  const third = await save('three', { remediation_strategy: 'warn_then_block' })
  await recomputeCheck(
    trial.db,
    { organizationId, checkId: check.id },
    () => contextAt(now),
    new AbortController().signal,
  )
  const said = (id: string, text: string) =>
    `  Full access: Updated the configuration of the check "FileVault is on": ${text}. (audit log entry ${id})`
  assert.deepEqual((await why()).split('\n'), [
    `${head}: Will Block`,
    `${now}  Good → Will Block`,
    said(third.id, 'strategy changed from "Block immediately" to "Warn, then block"'),
    said(first.id, 'strategy changed from "Report only" to "Block immediately"'),
    `  cause ${third.cause}, request three, one`,
    '',
  ])
  assert.ok(second.id, 'it recomputes nothing')
  await assert.rejects(run(auditCommands.why, { device: '999' }), /There is no device 999: muster devices list/)
})

test('a state that nobody’s change has caused says what is known of it', async () => {
  const { organizationId } = trial.tenant
  const device = await make.device(organizationId, { name: 'mac' })
  const state = { type: 'device_trust.status_changed', from: 'will_block', to: 'blocked' } as const
  const of = { ...state, organizationId, deviceId: device.id, at: now }
  await transact(trial.db, (tx) => announce(tx, [{ ...of, initiator: 'policy', cause: 'a clock' }]))
  await transact(trial.db, (tx) => announce(tx, [{ ...of, initiator: 'admin', cause: 'a job' }]))
  assert.deepEqual((await run(auditCommands.why, { device: device.id })).out.split('\n').slice(1), [
    `${now}  Will Block → Blocked`,
    '  The audit log has no entry of what caused this',
    '  cause a job',
    `${now}  Will Block → Blocked`,
    '  A deadline passed: a grace period ended, or the start date of a check came',
    '  cause a clock',
    '',
  ])
})
