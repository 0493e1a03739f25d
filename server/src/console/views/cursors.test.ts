import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { encodeCursor } from '../../base/lists/cursor.ts'
import { recordLiveAnswers } from '../../live-queries/record-live-answers.ts'
import { createConnection } from '../../sign-in/connections/create-connection.ts'

const app = testApp()
const make = makeIn(app)
const prefix = '/console/api'

type List = { readonly operationId: string; readonly path: string; readonly version: string }

/** Every list that the console may ask for: those of the API, and its own. */
function lists(): List[] {
  return app.app.routes.flatMap(({ url, config, constraints, schema }) => {
    const query = schema?.querystring as { properties?: object } | undefined
    const isList = url.startsWith(prefix) && query?.properties !== undefined && 'cursor' in query.properties
    const version = String(constraints?.['apiVersion'])
    return isList ? [{ operationId: config?.operationId ?? '', path: url.slice(prefix.length), version }] : []
  })
}

/** Records that the addresses of nested lists name. */
async function records(organizationId: string): Promise<Record<string, string>> {
  const person = await make.person(organizationId)
  const device = await make.device(organizationId, { registered_owner_id: person.id })
  const check = await make.check(organizationId)
  const issue = await make.issue({ device, check })
  const liveQueryCampaignId = await make.liveQuery(organizationId, { deviceIds: [device.id] })
  const answer = { deviceId: device.id, campaignId: liveQueryCampaignId, revision: 1, rowCount: 1, rows: '[{"a":"1"}]' }
  await recordLiveAnswers(app.db, organizationId, [{ ...answer, errorMessage: null, warningMessage: null }])
  const [result] = (await app.ask('GET', `/live_query_campaigns/${liveQueryCampaignId}/query_results`)).body.data
  const unsigned = { kind: 'second_step', mode: 'disabled' } as const
  const connection = { ...unsigned, name: 'Payroll', redirectUris: ['https://payroll.example/cb'] }
  const context = systemChange(organizationId, app.now())
  const { id } = await transact(app.db, (tx) => createConnection(tx, app.secrets, connection, context))
  const ids = { id, deviceId: device.id, personId: person.id, checkId: check.id, issueId: issue.id }
  return {
    ...ids,
    deviceGroupId: (await make.deviceGroup(organizationId)).id,
    personGroupId: (await make.personGroup(organizationId)).id,
    campaignId: liveQueryCampaignId,
    liveQueryCampaignId,
    resultId: result.id,
    queryId: (await make.reportingQuery(organizationId, { name: 'Rows', rows: [{ a: '1' }, { a: '2' }] })).id,
    streamId: (await make.stream(organizationId)).id,
    endpointId: (await make.webhookEndpoint(organizationId)).id,
    tableName: 'check_results',
  }
}

/** Keys of orders that a list may have had before, and of none at all. */
const oddKeys: readonly (readonly (string | null)[])[] = [
  ...['', '7', '-1', '0', 'x', 'null', '[]', '{}', '"', '[1,2,3]', '1 2', '1-2', '1/2', '1 x', '\0', '\ud800'],
  ...['["urgency"]', '["urgency","x","y"]', '["name","a","1; select"]', '["newest","infinity","1e9"]'],
  ...['["newest","2026-13-45 00:00:00+00","1"]', '["name","\\u0000","1"]', '99999999999999999999', 'checks'],
].map((key) => [key])

test('whatever key a cursor holds, no list fails: it is read on from, or refused as a bad cursor', async () => {
  const { organizationId } = app.tenant
  const ids = await records(organizationId)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn((await addAdmin(app)).email)).status, 200)
  const found = lists()
  assert.ok(found.length > 40, `${found.length} lists`)
  const unreached: string[] = []
  const faults: string[] = []
  for (const { operationId, path, version } of found) {
    const address = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '1')
    const ask = async (cursor: string) => browser.ask('GET', `${address}?cursor=${encodeURIComponent(cursor)}`)
    const scope = { organizationId, apiVersion: version, resource: `${operationId} ${address}` }
    // So many questions are more than a session has in a minute.
    await app.db.deleteFrom('admin_session_windows').execute()
    const plain = await browser.ask('GET', address)
    if (plain.status !== 200) unreached.push(`${operationId} ${address}: ${plain.status}`)
    for (const sortKey of [[], [null], ['1', '2'], ...oddKeys]) {
      const cursor = encodeCursor({ ...scope, sortKey, query: '' }, app.app.kit.cursorKey)
      const { status, body } = await ask(cursor)
      const isRefused = status === 400 && body.error === 'bad_cursor'
      if (status !== 200 && !isRefused) faults.push(`${operationId} ${JSON.stringify(sortKey)}: ${status}`)
    }
    const own = encodeCursor({ ...scope, sortKey: ['1'], query: '' }, app.app.kit.cursorKey)
    const foreign = encodeCursor({ ...scope, organizationId: '999', sortKey: ['1'], query: '' }, app.app.kit.cursorKey)
    const other = encodeCursor({ ...scope, resource: 'another', sortKey: ['1'], query: '' }, app.app.kit.cursorKey)
    for (const cursor of [foreign, other, own.slice(0, -5), `${own}A`, 'x', '%', 'A'.repeat(9_000)]) {
      const { status, body } = await ask(cursor)
      if (status !== 400 || body.error !== 'bad_cursor') faults.push(`${operationId} ${cursor.slice(0, 40)}: ${status}`)
    }
  }
  assert.deepEqual(faults, [])
  assert.deepEqual(unreached, [])
})
