import { ensurePackages } from '../../src/agents/packages/ensure-packages.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import { recordLiveAnswers } from '../../src/live-queries/record-live-answers.ts'
import { baseUrl } from '../support/app.ts'
import { makeIn } from '../support/make.ts'
import { minute, nameOf, numbers } from './plenty.ts'
import type { Parts } from './populate-requests.ts'

/** Live queries, reporting, packages, drafts, sign-ins and administrators. */
export async function populateRecords(parts: Parts): Promise<void> {
  await populateLiveQueries(parts)
  await populateAuthLogs(parts)
  const { harness, organizationId, keep } = parts
  const make = makeIn(harness.database)
  for (const index of numbers) {
    const rows = numbers.map((row) => ({ name: nameOf(row), number: String(row) }))
    const query = { name: nameOf(index), created_at: minute(index), ...(index < 2 && { rows }) }
    keep('queries', (await make.reportingQuery(organizationId, query)).id)
    const draft = { name: nameOf(index), slug: `draft-of-${index}`, created_at: minute(index) }
    keep('custom_check_drafts', (await make.draft(organizationId, draft)).id)
    const admin = { first_name: nameOf(index), last_name: `von ${nameOf(index)}`, created_at: minute(index) }
    const email = `Admin.${index}@acme.example`
    keep('admin_users', (await make.adminUser(organizationId, { ...admin, email })).id)
  }
  keep('tables', 'person_people')
  const site = { baseUrl, caCertificate: null, productVersion: '1.0.0' }
  const wanted = { site }
  await transact(harness.db, (tx) =>
    ensurePackages(tx, harness.secrets, wanted, systemChange(organizationId, harness.now())),
  )
  const packages = await harness.db
    .selectFrom('packages')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  for (const { id } of packages) {
    keep('packages', id)
    keep('package_downloads', id)
  }
}

/** The first live query has answers of every kind. */
async function populateLiveQueries({ harness, organizationId, keep, devices }: Parts): Promise<void> {
  const make = makeIn(harness.database)
  const tables = ['users', 'processes', 'listening_ports']
  // Telephones run no queries.
  const deviceIds = devices.flatMap(({ id, form_factor }) => (form_factor === 'computer' ? [id] : []))
  for (const index of numbers) {
    const columns = { name: nameOf(index), sql: `select * from ${tables[index % 3]}`, at: minute(index) }
    keep('live_query_campaigns', await make.liveQuery(organizationId, { deviceIds, ...columns }))
  }
  const { id: campaignId } = await harness.db
    .selectFrom('live_query_campaigns')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow()
  const parts = numbers.map((index) => ({ firstRow: index + 2, rows: JSON.stringify([{ username: nameOf(index) }]) }))
  const answers = deviceIds.map((deviceId, index) => ({
    ...{ campaignId, deviceId, revision: 1, rowCount: 1, rows: JSON.stringify([{ username: nameOf(index) }]) },
    errorMessage: index % 3 === 1 ? `no such table: ${nameOf(index)}` : null,
    warningMessage: index % 3 === 2 ? `cut short: ${nameOf(index)}` : null,
    ...(index === 0 && { more: { parts, rowCount: parts.length, characters: 1, warningWithout: null } }),
  }))
  await recordLiveAnswers(harness.db, organizationId, answers)
  const { result_id: resultId } = await harness.db
    .selectFrom('live_query_result_parts')
    .select('result_id')
    .where('organization_id', '=', organizationId)
    .limit(1)
    .executeTakeFirstOrThrow()
  keep('query_results', resultId)
}

async function populateAuthLogs({ harness, organizationId, keep, people, devices }: Parts): Promise<void> {
  const make = makeIn(harness.database)
  for (const index of numbers) {
    const isKnown = index % 3 !== 2
    const columns = {
      started_at: minute(index),
      person_id: isKnown ? (people[index]?.id ?? null) : null,
      person_name: isKnown ? nameOf(index) : '',
      person_email: isKnown ? `Person.${index}@acme.example` : '',
      device_id: isKnown ? (devices[index]?.id ?? null) : null,
      device_name: isKnown ? nameOf(index) : null,
      agent_version: isKnown ? `5.23.${index}` : null,
      country: isKnown ? `Country ${index}` : null,
      city: isKnown ? nameOf(index) : null,
      ip_address: `192.0.2.${index}`,
      browser_name: index % 2 === 0 ? 'Firefox' : 'Safari',
      result: index % 2 === 0 ? ('Success' as const) : ('Fail' as const),
    }
    keep('auth_logs', (await make.authLog(organizationId, columns)).id)
  }
}
