import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { neverAnalyze } from '../../../test/support/copied-fleet.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { scimClient } from '../../../test/support/scim-client.ts'
import { tellPlans, touchedBy } from '../../../test/support/touched-rows.ts'
import type { Tx } from '../../base/db/transact.ts'

const app = testApp()
const { ask, begin } = scimClient(app)
const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const count = 2_000

async function fill(tx: Tx, groupId: string): Promise<void> {
  const { organizationId } = app.tenant
  await sql`
    with added as (
      insert into people (organization_id, name, email, created_at)
      select ${organizationId}::bigint, 'Many ' || n, 'many' || n || '@acme.example', ${app.now()}::timestamptz
      from generate_series(1, ${count}) as n returning organization_id, id
    )
    insert into person_group_members (organization_id, person_group_id, person_id)
    select organization_id, ${groupId}::bigint, id from added`.execute(tx)
}

testOnPostgres('each member is read once, also where the planner takes them for few', async () => {
  await begin()
  const { body: group } = await ask('POST', '/Groups', { body: { schemas: [groupUrn], displayName: 'Everyone' } })
  await neverAnalyze(app.db)
  await app.db.transaction().execute(async (tx) => {
    await fill(tx, group.id)
    // As when autovacuum comes by while many rows are being added: it finds the pages, and nothing in them.
    await app.database.connection.executeScript('analyze people, person_group_members')
  })
  await tellPlans(app.database.url ?? '')
  for (const path of [`/Groups/${group.id}`, '/Groups']) {
    const touched = await touchedBy(async () => {
      const { status, body } = await ask('GET', path)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal((body.Resources?.[0] ?? body).members.length, count)
    })
    assert.ok(
      touched.some(({ text }) => text.includes('person_group_members')),
      'statements are seen',
    )
    for (const { text, rows } of touched) assert.ok(rows <= 3 * count, `${rows} rows: ${text}`)
  }
})
