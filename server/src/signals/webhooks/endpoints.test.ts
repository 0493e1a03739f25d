import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { beforeEach, test } from 'node:test'
import { chosenWebhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { webhookRowsIn } from '../../../test/support/webhook-rows.ts'
import { unsealHeaders, unsealSecret } from './endpoint-secret.ts'

const app = testApp()
const make = makeIn(app.database)
const rows = webhookRowsIn(app.database)
const start = '2026-11-20T10:00:00.000Z'
const later = '2026-11-20T10:05:00.000Z'
const healthy = { state: 'ok', failing_since: null, last_error: null, last_delivered_at: null }
const missing = { error: 'not_found', message: 'There is no such record.' }
const url = 'https://hooks.example.com/secret-path'
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

beforeEach(async () => {
  app.setNow(start)
  await app.reset()
})

const create = (body: object = {}) =>
  app.ask('POST', '/webhook_endpoints', { body: { url, events: ['issues.new'], ...body } })
const patch = (id: string, body: unknown) => app.ask('PATCH', `/webhook_endpoints/${id}`, { body })
const get = (id: string) => app.ask('GET', `/webhook_endpoints/${id}`)

const fieldsOf = ({ status, body }: { status: number; body: { errors?: { field: string; message: string }[] } }) => [
  status,
  ...(body.errors ?? []).map(({ field, message }) => `${field} ${message}`),
]

const audits = async (): Promise<string[]> => {
  const { body } = await app.ask('GET', '/audit_logs?query=description~"the webhook endpoint at"&per_page=100')
  return body.data.map(({ description }: { description: string }) => description)
}

const stored = () => app.db.selectFrom('webhook_endpoints').selectAll().orderBy('id').execute()

test('createWebhookEndpoint, getWebhookEndpoint and listWebhookEndpoints: the secret is shown once, header values never', async () => {
  const made = await create({
    events: ['issues.new', 'device_trust.status_changed', 'issues.new'],
    description: '  Opens tickets ',
    custom_headers: { 'X-Tenant': 'acme s3cret', 'x-a': 'b' },
    unknown: true,
  })
  const record = {
    id: made.body.id,
    url,
    description: 'Opens tickets',
    events: ['device_trust.status_changed', 'issues.new'],
    enabled: true,
    disabled_at: null,
    disabled_reason: null,
    identifier: made.body.identifier,
    custom_headers: { 'x-a': '********', 'x-tenant': '********' },
    previous_secret_until: null,
    created_at: start,
    updated_at: start,
    health: healthy,
  }
  const { secret } = made.body
  assert.deepEqual([made.status, made.headers['cache-control'], made.body], [200, 'no-store', { ...record, secret }])
  assert.match(made.body.identifier, uuid)
  assert.match(secret, /^whsec_[\w+/]{43}=$/)
  assert.deepEqual([(await get(record.id)).status, (await get(record.id)).body], [200, record])
  const pagination = { next: '', current_cursor: '', next_cursor: '', count: 1 }
  assert.deepEqual((await app.ask('GET', '/webhook_endpoints')).body, { data: [record], pagination })
  const [row] = await stored()
  assert.ok(row)
  const place = { organizationId: row.organization_id, endpointId: row.id }
  assert.equal(unsealSecret(app.secrets, row.sealed_secret, place), secret)
  assert.deepEqual(unsealHeaders(app.secrets, row.sealed_headers ?? Buffer.alloc(0), place), {
    'x-a': 'b',
    'x-tenant': 'acme s3cret',
  })
  assert.deepEqual(await audits(), [
    'Created the webhook endpoint at "hooks.example.com" for device_trust.status_changed, issues.new.',
  ])
})

test('an endpoint may begin disabled, and may choose every event but the test', async () => {
  const { body } = await create({ events: chosenWebhookEvents, enabled: false, description: ' ' })
  assert.deepEqual(
    [body.enabled, body.disabled_at, body.disabled_reason, body.health.state, body.description, body.events],
    [false, start, 'by_admin', 'stopped', null, chosenWebhookEvents],
  )
  assert.equal((await create({ events: ['webhook.test'] })).status, 422)
})

test('what makes no endpoint is refused, with where it is wrong, and so is what would make one that is none', async () => {
  const { id } = (await create()).body
  const names = chosenWebhookEvents.join(', ')
  const headers = (custom_headers: unknown) => ({ custom_headers })
  const refused: [body: object, fault: string][] = [
    [{ url: 'http://hooks.example.com/' }, 'url must begin with https:// and a host'],
    [{ url: 'https://127.0.0.1/' }, 'url must be on a publicly reachable host'],
    [{ events: [] }, 'events must have at least 1 item'],
    [{ events: ['devices.exploded'] }, `events/0 must be one of ${names}`],
    [{ description: 'x'.repeat(501) }, 'description must have at most 500 characters'],
    [{ enabled: 'yes' }, 'enabled must be true or false'],
    [headers({ 'x-a': 7 }), 'custom_headers/x-a must be a string'],
    [headers({ 'x a': 'b' }), 'custom_headers/x a must be the name of a header, of at most 100 characters'],
    [headers({ '': 'b' }), 'custom_headers/ must be the name of a header, of at most 100 characters'],
    [headers({ 'x-a': 'b', 'X-A': 'c' }), 'custom_headers/X-A is there twice'],
    [headers({ 'x-a': '' }), 'custom_headers/x-a must have a value that a header can carry'],
    [headers({ 'x-a': 'b\r\nhost: c' }), 'custom_headers/x-a must have a value that a header can carry'],
    [headers({ 'x-a': ' b' }), 'custom_headers/x-a must have a value that a header can carry'],
    [headers({ 'x-a': 'é' }), 'custom_headers/x-a must have a value that a header can carry'],
    [
      headers({ 'x-a': '********' }),
      'custom_headers/x-a must have its value: only headers that are there already keep theirs',
    ],
    [
      headers(Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, 'a']))),
      'custom_headers must have at most 20 members',
    ],
  ]
  const own = ['Authorization', 'Host', 'Connection', 'Transfer-Encoding', 'Content-Type', 'Content-Length', 'TE']
  const signing = ['webhook-id', 'Webhook-Signature', 'X-Service-Webhook-Identifier', 'User-Agent', 'Proxy-Connection']
  for (const name of [...own, ...signing, 'Upgrade', 'Keep-Alive', 'Trailer', 'Expect', 'Sec-Fetch-Mode']) {
    refused.push([headers({ [name]: 'x' }), `custom_headers/${name} is not for custom headers`])
  }
  const before = await rowVersions(app.db)
  for (const [body, fault] of refused) {
    assert.deepEqual(fieldsOf(await create(body)), [422, fault], JSON.stringify(body))
    assert.deepEqual(fieldsOf(await patch(id, body)), [422, fault], JSON.stringify(body))
  }
  assert.deepEqual(fieldsOf(await create({ url: undefined, events: undefined })), [
    422,
    'url is required',
    'events is required',
  ])
  assert.deepEqual(await rowVersions(app.db), before)
})

test('a chat service is refused as a new address; an endpoint that is there already can still be changed', async () => {
  const slack = 'https://hooks.slack.com/services/T0/B0/xyz'
  const { id } = (await create()).body
  for (const answer of [await create({ url: slack }), await patch(id, { url: slack })]) {
    const [status, fault, ...others] = fieldsOf(answer)
    assert.deepEqual([status, others], [422, []])
    assert.match(String(fault), /^url Slack cannot read these requests: .* posts to Slack\.$/)
  }
  await app.db.updateTable('webhook_endpoints').set({ url: slack }).where('id', '=', id).execute()
  const changed = await patch(id, { url: slack, description: 'Alerts', enabled: false })
  assert.deepEqual([changed.status, changed.body.description, changed.body.enabled], [200, 'Alerts', false])
  assert.equal((await patch(id, { url: `${slack}2` })).status, 422)
})

test('addresses of receivers that are not public are refused when an endpoint is made and when it is changed', async () => {
  const file = new URL('../../base/outbound/test-vectors/urls.json', import.meta.url)
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as [string, string][]
  const refused = vectors.filter(([, verdict]) => verdict === 'refused').map(([address]) => address)
  assert.ok(refused.length >= 140)
  const { id } = (await create()).body
  for (const address of refused) {
    const answers = [await create({ url: address }), await patch(id, { url: address })]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [422, 422],
      address,
    )
  }
  assert.equal((await get(id)).body.url, url)
})

test('updateWebhookEndpoint keeps what is left out and the values of masked headers, and writes nothing when nothing changes', async () => {
  const { secret: _, ...made } = (await create({ custom_headers: { 'x-a': 'one', 'x-b': 'two' } })).body
  app.setNow(later)
  const before = await rowVersions(app.db)
  for (const body of [{}, { url }, { events: ['issues.new', 'issues.new'] }, { description: null }, made]) {
    const same = await patch(made.id, body)
    assert.deepEqual([same.status, same.body], [200, made])
  }
  assert.deepEqual(await rowVersions(app.db), before)

  const headers = await patch(made.id, { custom_headers: { 'X-B': '********', 'x-c': 'three' } })
  const expected = { ...made, custom_headers: { 'x-b': '********', 'x-c': '********' }, updated_at: later }
  assert.deepEqual([headers.status, headers.body], [200, expected])
  const [row] = await stored()
  assert.ok(row?.sealed_headers)
  const place = { organizationId: row.organization_id, endpointId: row.id }
  assert.deepEqual(unsealHeaders(app.secrets, row.sealed_headers, place), { 'x-b': 'two', 'x-c': 'three' })

  const moved = await app.ask('PUT', `/webhook_endpoints/${made.id}`, {
    body: {
      ...{ url: 'https://other.example.com/p', events: ['devices.created'], description: 'Tickets' },
      custom_headers: {},
    },
  })
  assert.deepEqual(moved.body, {
    ...made,
    ...{ url: 'https://other.example.com/p', events: ['devices.created'], description: 'Tickets', custom_headers: {} },
    updated_at: '2026-11-20T10:05:00.001Z',
  })
  assert.equal((await stored())[0]?.sealed_headers, null)
  await patch(made.id, { url: 'https://other.example.com/another' })
  assert.deepEqual(await audits(), [
    'Changed the webhook endpoint at "other.example.com": its path is another.',
    'Changed the webhook endpoint at "hooks.example.com": its host changed from "hooks.example.com" to "other.example.com"; its events changed from issues.new to devices.created; another description; dropped the custom headers "x-b", "x-c", whose values are not sent to another origin.',
    'Changed the webhook endpoint at "hooks.example.com": other custom headers: "x-b", "x-c".',
    'Created the webhook endpoint at "hooks.example.com" for issues.new.',
  ])
})

const origins: [what: string, url: string, isKept: boolean][] = [
  ['another path', `${url}/2`, true],
  ['another host', 'https://hooks.example.net/muster', false],
  ['a host below it', 'https://a.hooks.example.com/muster', false],
  ['another port', 'https://hooks.example.com:8443/muster', false],
]
for (const [what, moved, isKept] of origins) {
  test(`the values of custom headers ${isKept ? 'are' : 'are not'} sent to ${what}`, async () => {
    const { id } = (await create({ custom_headers: { 'x-a': 'one', 'x-b': 'two' } })).body
    const { body } = await patch(id, { url: moved })
    const kept = { 'x-a': '********', 'x-b': '********' }
    assert.deepEqual([body.url, body.custom_headers], [moved, isKept ? kept : {}])
    assert.equal((await stored())[0]?.sealed_headers === null, !isKept)
    const [sentence] = await audits()
    assert.equal(sentence?.includes('dropped the custom headers "x-a", "x-b"'), !isKept)
  })
}

test('at another origin a masked value stands for nothing, and what is sent again is kept', async () => {
  const { id } = (await create({ custom_headers: { 'x-a': 'one', 'x-b': 'two' } })).body
  const elsewhere = { url: 'https://hooks.example.net/muster', custom_headers: { 'x-a': '********', 'X-B': 'again' } }
  const { body } = await patch(id, elsewhere)
  assert.deepEqual(body.custom_headers, { 'x-b': '********' })
  const [row] = await stored()
  assert.ok(row?.sealed_headers)
  const place = { organizationId: row.organization_id, endpointId: row.id }
  assert.deepEqual(unsealHeaders(app.secrets, row.sealed_headers, place), { 'x-b': 'again' })
  const unknown = await patch(id, { url: 'https://hooks.example.org/', custom_headers: { 'x-c': '********' } })
  assert.deepEqual([unknown.status, unknown.body.errors[0].field], [422, 'custom_headers/x-c'])
})

test('an endpoint is disabled and enabled again, which forgets why it was stopped and since when it failed', async () => {
  const { id } = (await create()).body
  await app.db
    .updateTable('webhook_standings')
    .set({ failing_since: start, last_error: 'The receiver answered 500' })
    .execute()
  assert.equal((await get(id)).body.health.state, 'failing')
  app.setNow(later)
  const disabled = await patch(id, { enabled: false })
  assert.deepEqual(
    [disabled.body.enabled, disabled.body.disabled_at, disabled.body.disabled_reason, disabled.body.health],
    [
      ...[false, later, 'by_admin'],
      { ...healthy, state: 'stopped', failing_since: start, last_error: 'The receiver answered 500' },
    ],
  )
  await app.db.updateTable('webhook_endpoints').set({ disabled_reason: 'failing' }).execute()
  app.setNow('2026-11-20T10:10:00.000Z')
  const still = await patch(id, { enabled: false })
  assert.deepEqual([still.body.disabled_at, still.body.disabled_reason], [later, 'failing'])
  const enabled = await patch(id, { enabled: true })
  assert.deepEqual(
    [enabled.body.enabled, enabled.body.disabled_at, enabled.body.disabled_reason, enabled.body.health],
    [true, null, null, healthy],
  )
  assert.equal(enabled.body.updated_at, '2026-11-20T10:10:00.000Z')
  assert.deepEqual((await audits()).slice(0, 2), [
    'Enabled the webhook endpoint at "hooks.example.com".',
    'Disabled the webhook endpoint at "hooks.example.com".',
  ])
})

test('another address begins without the troubles of the one before', async () => {
  const { id } = (await create()).body
  await app.db.updateTable('webhook_standings').set({ failing_since: start, last_error: 'It was slow' }).execute()
  assert.equal((await patch(id, { description: 'x' })).body.health.state, 'failing')
  assert.deepEqual((await patch(id, { url: 'https://other.example.com/' })).body.health, healthy)
})

test('rollWebhookSecret and revealWebhookSecret: the previous secret signs until the overlap ends, which is audited', async () => {
  const { secret: first, ...made } = (await create()).body
  const ask = (action: string, body?: object) =>
    app.ask('POST', `/webhook_endpoints/${made.id}/${action}`, body && { body })
  const revealed = await ask('reveal_secret')
  assert.deepEqual(
    [revealed.status, revealed.headers['cache-control'], revealed.body],
    [200, 'no-store', { ...made, secret: first }],
  )
  app.setNow(later)
  const rolled = await ask('roll_secret', { overlap_seconds: 3_600 })
  const { secret: second, ...overlapping } = rolled.body
  const until = '2026-11-20T11:05:00.000Z'
  assert.deepEqual([rolled.status, overlapping], [200, { ...made, previous_secret_until: until, updated_at: later }])
  assert.match(second, /^whsec_[\w+/]{43}=$/)
  assert.notEqual(second, first)
  const [row] = await stored()
  assert.ok(row?.sealed_previous_secret)
  const place = { organizationId: row.organization_id, endpointId: row.id }
  assert.deepEqual(
    [row.sealed_secret, row.sealed_previous_secret].map((sealed) => unsealSecret(app.secrets, sealed, place)),
    [second, first],
  )
  const versions = await rowVersions(app.db)
  const early = await ask('roll_secret', {})
  assert.deepEqual([early.status, early.body.error], [422, 'secret_overlapping'])
  assert.deepEqual(await rowVersions(app.db), versions)
  assert.equal((await ask('reveal_secret')).body.secret, second)

  app.setNow(until)
  assert.equal((await get(made.id)).body.previous_secret_until, null)
  const again = await ask('roll_secret', {})
  assert.equal(again.body.previous_secret_until, '2026-11-21T11:05:00.000Z')
  const third = again.body.secret
  const atOnce = await ask('roll_secret', { overlap_seconds: 0 })
  assert.equal(atOnce.body.previous_secret_until, null)
  assert.equal(new Set([first, second, third, atOnce.body.secret]).size, 4)
  const [last] = await stored()
  assert.deepEqual([last?.sealed_previous_secret, last?.previous_secret_until], [null, null])
  assert.deepEqual(fieldsOf(await ask('roll_secret', { overlap_seconds: 604_801 })), [
    422,
    'overlap_seconds must be at most 604800',
  ])
  const at = 'the webhook endpoint at "hooks.example.com"'
  assert.deepEqual((await audits()).slice(0, 5), [
    `Rolled the secret of ${at}; the previous one ended at once.`,
    `Rolled the secret of ${at}; the previous one signs until 2026-11-21T11:05:00.000Z.`,
    `Revealed the secret of ${at}.`,
    `Rolled the secret of ${at}; the previous one signs until ${until}.`,
    `Revealed the secret of ${at}.`,
  ])
})

test('deleteWebhookEndpoint: it is gone at once with its log, and cannot be changed, revealed or rolled', async () => {
  const { id } = (await create()).body
  const [row] = await stored()
  assert.ok(row)
  await rows.delivery(row)
  assert.deepEqual([(await app.ask('DELETE', `/webhook_endpoints/${id}`)).status], [204])
  const answers = [
    await get(id),
    await patch(id, { enabled: false }),
    await app.ask('DELETE', `/webhook_endpoints/${id}`),
    await app.ask('POST', `/webhook_endpoints/${id}/reveal_secret`),
    await app.ask('POST', `/webhook_endpoints/${id}/roll_secret`, { body: {} }),
    await app.ask('GET', `/webhook_endpoints/${id}/deliveries`),
  ]
  for (const { status, body } of answers) assert.deepEqual([status, body], [404, missing])
  assert.deepEqual((await app.ask('GET', '/webhook_endpoints')).body.data, [])
  assert.equal((await audits())[0], 'Deleted the webhook endpoint at "hooks.example.com".')
})

test('everything about endpoints needs the permission, also reading them', async () => {
  const { id } = (await create()).body
  const others = await app.addKey(['manage_ssf_streams', 'update_devices'])
  const path = `/webhook_endpoints/${id}`
  const asked: [method: string, path: string, body?: object][] = [
    ['GET', '/webhook_endpoints'],
    ['POST', '/webhook_endpoints', { url, events: ['issues.new'] }],
    ['GET', path],
    ['PATCH', path, { enabled: false }],
    ['DELETE', path],
    ['POST', `${path}/reveal_secret`],
    ['POST', `${path}/roll_secret`, {}],
  ]
  for (const [method, address, body] of asked) {
    const answer = await app.ask(method, address, { key: others, ...(body && { body }) })
    assert.deepEqual([answer.status, answer.body.error], [403, 'permission_missing'], `${method} ${address}`)
  }
  const own = await app.addKey(['manage_webhooks'])
  assert.equal((await app.ask('GET', path, { key: own })).status, 200)
})

test('endpoints are searched by what they are told of, their address, what they are for and whether they are enabled', async () => {
  const { organizationId } = app.tenant
  const [one, two, three] = [
    await make.webhookEndpoint(organizationId, { events: ['issues.new'], description: 'Tickets' }),
    await make.webhookEndpoint(organizationId, { url: 'https://siem.example.com/', created_at: later }),
    await make.webhookEndpoint(organizationId, { disabled_at: start, disabled_reason: 'gone' }),
  ]
  const found: [query: string, ids: string[]][] = [
    [`id:${two.id}`, [two.id]],
    ['url~siem', [two.id]],
    ['description~ticket', [one.id]],
    ['description:null', [two.id, three.id]],
    ['events:issues.new', [one.id]],
    ['enabled:false', [three.id]],
    ['enabled:true AND created_at>"2026-11-20T10:04:00Z"', [two.id]],
  ]
  for (const [query, ids] of found) {
    const { body } = await app.ask('GET', `/webhook_endpoints?query=${encodeURIComponent(query)}`)
    assert.deepEqual(
      body.data?.map(({ id }: { id: string }) => id),
      ids,
      query,
    )
  }
  const page = (await app.ask('GET', '/webhook_endpoints?per_page=2')).body
  assert.equal(page.data.length, 2)
  const rest = await app.ask('GET', `/webhook_endpoints?cursor=${page.pagination.next_cursor}`)
  assert.deepEqual(
    rest.body.data.map(({ id }: { id: string }) => id),
    [three.id],
  )
})

test('an organization has fifty endpoints at most; deleted ones do not count', async () => {
  for (let index = 0; index < 49; index += 1) await make.webhookEndpoint(app.tenant.organizationId)
  await make.webhookEndpoint(app.tenant.organizationId, { deleted_at: start })
  await make.webhookEndpoint((await app.addTenant()).organizationId)
  assert.equal((await create()).status, 200)
  assert.deepEqual(fieldsOf(await create()), [
    422,
    ' an organization has at most 50 webhook endpoints: delete one first',
  ])
})

testOnPostgres('who make endpoints at the same time do not get past the limit together', async () => {
  for (let index = 0; index < 48; index += 1) await make.webhookEndpoint(app.tenant.organizationId)
  const answers = await Promise.all(Array.from({ length: 8 }, () => create()))
  assert.equal(answers.filter(({ status }) => status === 200).length, 2)
})

testOnPostgres('of rolls at the same time one is taken', async () => {
  const { id } = (await create()).body
  const roll = () => app.ask('POST', `/webhook_endpoints/${id}/roll_secret`, { body: { overlap_seconds: 60 } })
  const answers = await Promise.all(Array.from({ length: 6 }, roll))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422, 422, 422, 422])
})

test('text that no database holds is refused or stored, never a failure', async () => {
  for (const description of ['a\u0000b', 'a\ud800b']) {
    const { status } = await create({ description })
    assert.ok(status < 500, String(status))
  }
})

test('an endpoint hears of its own making where it listens to the audit log, and not of its end', async () => {
  const { id } = (await create({ events: ['audit_log.recorded'] })).body
  await patch(id, { enabled: false })
  const queued = await app.db.selectFrom('webhook_messages').select('body').orderBy('id').execute()
  assert.deepEqual(
    queued.map(({ body }) => JSON.parse(body).data.description),
    ['Created the webhook endpoint at "hooks.example.com" for audit_log.recorded.'],
  )
})
