import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { keepVerification, requestVerifications } from '../../signals/audit/keep-verification.ts'

const app = testApp()

beforeEach(() => app.reset())

test('the console says when the audit log was verified, up to where, and which entry was changed', async () => {
  const { organizationId } = app.tenant
  const admin = await addAdmin(app)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  const chain = async () => (await browser.ask('GET', '/views/audit_chain')).body
  const before = await chain()
  assert.equal(before.verified, null)

  const walk = { organizationId, clock: app.now }
  await keepVerification(app.db, walk)
  const { verified, last_id: last } = await chain()
  assert.deepEqual(verified, {
    at: app.now(),
    is_intact: true,
    entries_count: verified.entries_count,
    last_id: last,
    fault: null,
    faulty_id: null,
  })
  assert.ok(verified.entries_count > 0)

  assert.equal((await browser.ask('POST', '/device_groups', { name: 'Later' })).status, 200)
  const later = await chain()
  assert.deepEqual([later.verified.last_id, later.last_id !== last], [last, true], 'what came since is not verified')

  await sql`alter table audit_logs disable trigger audit_logs_append_only`.execute(app.db)
  await sql`update audit_logs set description = 'Nothing.' where id = ${later.last_id}::bigint`.execute(app.db)
  await sql`alter table audit_logs enable trigger audit_logs_append_only`.execute(app.db)
  await keepVerification(app.db, walk)
  const { verified: faulty } = await chain()
  assert.deepEqual(
    [faulty.is_intact, faulty.faulty_id, faulty.fault],
    [false, later.last_id, 'is not as it was written'],
  )
  await requestVerifications(app.db)
})

test('an organization has one walk along its log at a time, and a finished one serves for ten minutes', async () => {
  const { organizationId } = app.tenant
  const admin = await addAdmin(app)
  const browser = openBrowser(app)
  await browser.signIn(admin.email)
  const startedAt = app.now()
  const verify = () => browser.ask('POST', '/audit_chain/verify')
  const jobs = async () => {
    const { rows } = await sql<{ state: string }>`
      select state from pgboss.job where name = 'verify-audit-log' order by created_on`.execute(app.db)
    return rows.map(({ state }) => state)
  }
  assert.equal((await verify()).status, 204)
  assert.equal((await verify()).status, 204)
  assert.deepEqual(await jobs(), ['created'])
  await sql`update pgboss.job set state = 'active' where name = 'verify-audit-log'`.execute(app.db)
  assert.equal((await verify()).status, 204)
  assert.deepEqual(await jobs(), ['active'])
  await sql`update pgboss.job set state = 'completed' where name = 'verify-audit-log'`.execute(app.db)
  await keepVerification(app.db, { organizationId, clock: app.now })
  const later = (seconds: number) => new Date(Date.parse(startedAt) + seconds * 1_000).toISOString()
  app.setNow(later(599))
  const refused = await verify()
  assert.deepEqual([refused.status, refused.body.error], [429, 'rate_limited'])
  assert.deepEqual(await jobs(), ['completed'])
  app.setNow(later(600))
  assert.equal((await verify()).status, 204)
  assert.deepEqual((await jobs()).toSorted(), ['completed', 'created'])
  app.setNow(startedAt)
})
