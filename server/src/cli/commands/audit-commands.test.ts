import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { auditCommands } from './audit-commands.ts'

const trial = testApp()
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
