import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { permissions } from '@muster/contract/permissions.ts'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { stepUpMs } from '../../access/sessions/rules.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { queueComplianceChanges } from '../../signals/streams/queue-signals.ts'

const app = testApp()
const make = makeIn(app.database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)

beforeEach(async () => {
  app.setNow(startOfTests)
  await app.reset()
})

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const queue = (deviceId: string, at: string, txn: string) =>
  transact(app.db, (tx) =>
    queueComplianceChanges(tx, app.tenant.organizationId, [
      { previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn, deviceId, occurredAt: at },
    ]),
  )

const idsIn = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)

test('getStreamView: counts of a day, what waits, how long the receiver took, and the active tokens', async () => {
  const browser = await signedIn()
  const made = await browser.ask('POST', '/ssf_streams', { name: 'Gateway', delivery: { method: 'urn:ietf:rfc:8936' } })
  const { id } = made.body
  const token = { created_at: startOfTests, valid_until: null }
  const fresh = {
    ...{ status: 'enabled', reason: null, needs_no_poll_token: false, poll_tokens: [token] },
    ...{
      accepted_today: 0,
      rejected_today: 0,
      waiting: 0,
      retrying: 0,
      is_more_pending: false,
      median_ms: null,
      p99_ms: null,
    },
  }
  assert.deepEqual((await browser.ask('GET', `/views/streams/${id}`)).body, fresh)
  assert.deepEqual((await browser.ask('GET', `/views/streams/${made.body.stream_id}`)).body, fresh)
  const device = await make.device(app.tenant.organizationId, {})
  for (const index of [0, 1, 2, 3]) await queue(device.id, minute(index), `T${index}`)
  const events = await app.db.selectFrom('ssf_stream_events').select('id').orderBy('id').execute()
  const settle = (index: number, state: 'acknowledged' | 'rejected') =>
    app.db
      .updateTable('ssf_stream_events')
      .set({ state, settled_at: minute(5) })
      .where('id', '=', events[index]?.id ?? '')
      .execute()
  await settle(0, 'acknowledged')
  await settle(1, 'rejected')
  const tried = app.db.updateTable('ssf_stream_events').set({ attempts: 2 })
  await tried.where('id', '=', events[2]?.id ?? '').execute()
  for (const took of [30, 40, 200]) {
    await app.db
      .insertInto('ssf_attempts')
      .values({
        ...{ organization_id: app.tenant.organizationId, stream_id: id, event_id: events[0]?.id ?? '' },
        ...{ attempted_at: minute(1), duration_ms: took, status: 202, error: null },
      })
      .execute()
  }
  app.setNow(minute(1))
  await browser.ask('POST', `/ssf_streams/${id}/rotate_poll_token`, { mode: 'overlap', overlap_seconds: 3_600 })
  await browser.ask('POST', `/ssf_streams/${id}/status`, { status: 'paused', reason: 'Maintenance' })
  const view = (await browser.ask('GET', `/views/streams/${id}`)).body
  assert.deepEqual(view, {
    ...{
      ...fresh,
      status: 'paused',
      reason: 'Maintenance',
      accepted_today: 1,
      rejected_today: 1,
      waiting: 2,
      retrying: 1,
    },
    ...{ median_ms: 40, p99_ms: 197 },
    poll_tokens: [
      { created_at: minute(1), valid_until: null },
      { created_at: startOfTests, valid_until: minute(61) },
    ],
  })
  app.setNow(plusMs(startOfTests, 25 * 3_600_000))
  const again = openBrowser(app)
  await again.signIn('maya@acme.example')
  const later = (await again.ask('GET', `/views/streams/${id}`)).body
  assert.deepEqual([later.accepted_today, later.rejected_today, later.waiting, later.retrying], [0, 0, 2, 1])
  assert.deepEqual(later.poll_tokens, [{ created_at: minute(1), valid_until: null }])
})

test('listStreamEventViews: found by state, kind, token, device, owner and cause; page after page', async () => {
  const { organizationId } = app.tenant
  const browser = await signedIn()
  const { id } = await make.stream(organizationId)
  const ana = await make.person(organizationId, { name: 'Ana Ruiz', email: 'ana@acme.example' })
  const owned = { registered_owner_id: ana.id, registered_at: startOfTests }
  const [mine, other] = [
    await make.device(organizationId, { name: 'mac-of-100%', ...owned }),
    await make.device(organizationId, { name: 'reception' }),
  ]
  await queue(mine.id, minute(0), 'CAUSE')
  await queue(other.id, minute(1), 'CAUSE')
  await queue(other.id, minute(2), 'OTHER')
  await browser.ask('POST', `/ssf_streams/${id}/verify`, { state: 'abc' })
  const list = (query = '') => browser.ask('GET', `/views/streams/${id}/events${query}`)
  const all = (await list()).body.data
  assert.deepEqual(
    all.map((row: { device_name: string | null; kind: string }) => [row.device_name, row.kind]),
    [
      [null, 'verification'],
      ['reception', 'compliance_change'],
      ['reception', 'compliance_change'],
      ['mac-of-100%', 'compliance_change'],
    ],
  )
  const [verification, second, first, own] = all.map((row: { id: string }) => row.id)
  assert.deepEqual(idsIn(await list('?kind=verification')), [verification])
  assert.deepEqual(idsIn(await list('?state=rejected')), [])
  assert.deepEqual(idsIn(await list('?search=recep')), [second, first])
  assert.deepEqual(idsIn(await list('?search=ANA%40acme')), [own])
  assert.deepEqual(idsIn(await list('?search=100%25')), [own])
  assert.deepEqual(idsIn(await list('?search=_')), [], 'an underscore is no wildcard')
  assert.deepEqual(idsIn(await list(`?search=${all[2].jti}`)), [first])
  assert.deepEqual(idsIn(await list(`?txn=CAUSE&around=${minute(0)}`)), [first, own])
  assert.deepEqual(idsIn(await list(`?txn=CAUSE&around=${minute(60)}`)), [])
  assert.equal((await list('?state=lost')).status, 422)
  const page = (await list('?search=recep&per_page=1')).body
  assert.deepEqual(idsIn({ body: page }), [second])
  assert.deepEqual(idsIn(await list(`?search=recep&per_page=1&cursor=${page.pagination.next_cursor}`)), [first])
})

test('countStreamReplay counts what the replay of the same range sends again', async () => {
  const { organizationId } = app.tenant
  const browser = await signedIn()
  const { id } = await make.stream(organizationId)
  const device = await make.device(organizationId)
  for (const index of [0, 1, 2, 3]) await queue(device.id, minute(index), 'T')
  const events = await app.db.selectFrom('ssf_stream_events').select('id').orderBy('id').execute()
  const states = ['delivered', 'rejected', 'rejected'] as const
  for (const [index, state] of states.entries()) {
    const settled = { state, settled_at: minute(9) }
    await app.db
      .updateTable('ssf_stream_events')
      .set(settled)
      .where('id', '=', events[index]?.id ?? '')
      .execute()
  }
  const count = (query: string) => browser.ask('GET', `/views/streams/${id}/replay_count?${query}`)
  const range = { from: startOfTests, to: minute(9) }
  const asked = `from=${range.from}&to=${range.to}`
  assert.deepEqual((await count(asked)).body, { count: 3 })
  assert.deepEqual((await count(`${asked}&state=rejected`)).body, { count: 2 })
  assert.deepEqual((await count(`from=${minute(2)}&to=${range.to}`)).body, { count: 1 })
  assert.equal((await count('from=yesterday&to=today')).status, 422)
  const replayed = await browser.ask('POST', `/ssf_streams/${id}/replay`, { ...range, states: ['rejected'] })
  assert.equal(replayed.body.replayed_count, 2)
  assert.deepEqual((await count(asked)).body, { count: 1 })
})

test('changeSsfStreamStatus tells the receiver, askSsfVerification queues; both are refused where they must be', async () => {
  const browser = await signedIn()
  const { id, stream_id } = await make.stream(app.tenant.organizationId, { name: 'Okta' })
  const status = (body: unknown) => browser.ask('POST', `/ssf_streams/${id}/status`, body)
  const paused = { stream_id, status: 'paused', reason: 'Lunch' }
  assert.deepEqual((await status({ status: 'paused', reason: 'Lunch' })).body, paused)
  assert.deepEqual((await status({ status: 'paused', reason: 'Lunch' })).body, paused)
  const kinds = async () =>
    (await app.db.selectFrom('ssf_stream_events').select('kind').execute()).map((row) => row.kind)
  assert.deepEqual(await kinds(), ['stream_updated'], 'once, and the repeat writes nothing')
  const [entry] = (await browser.ask('GET', '/audit_logs?per_page=1')).body.data
  assert.equal(entry.description, 'Paused the stream "Okta": "Lunch".')
  assert.equal((await browser.ask('POST', `/ssf_streams/${id}/verify`, {})).status, 400)
  await status({ status: 'enabled' })
  assert.equal((await browser.ask('POST', `/ssf_streams/${id}/verify`, { state: 'abc' })).status, 204)
  assert.deepEqual(await kinds(), ['stream_updated', 'stream_updated', 'verification'])
  assert.equal((await status({ status: 'lost' })).status, 422)
  app.setNow(plusMs(startOfTests, stepUpMs))
  assert.deepEqual((await status({ status: 'disabled' })).body.error, 'step_up_needed')
})

test('streams of others are not there, and nothing is without the permission', async () => {
  const other = await make.stream((await app.addTenant('Other')).organizationId)
  const browser = await signedIn()
  const range = `from=${startOfTests}&to=${minute(1)}`
  for (const id of [other.id, other.stream_id, '900000000000000001', 'x']) {
    for (const path of ['', '/events', `/replay_count?${range}`]) {
      assert.equal((await browser.ask('GET', `/views/streams/${id}${path}`)).status, 404, id + path)
    }
    assert.equal((await browser.ask('POST', `/ssf_streams/${id}/status`, { status: 'paused' })).status, 404)
    assert.equal((await browser.ask('POST', `/ssf_streams/${id}/verify`, {})).status, 404)
  }
  const own = await make.stream(app.tenant.organizationId)
  const limited = await signedIn({
    email: 'tom@acme.example',
    access: 'limited',
    restrictions: Object.keys(permissions),
  })
  assert.equal((await limited.ask('GET', `/views/streams/${own.id}`)).status, 403)
})

test('the authorization header of a stream is not shown to a session, and comes back as it was stored', async () => {
  const browser = await signedIn()
  const push = { method: 'urn:ietf:rfc:8935', endpoint_url: 'https://receiver.example.com/events' }
  const delivery = { ...push, authorization_header: 'Bearer deep-secret' }
  const made = await browser.ask('POST', '/ssf_streams', { name: 'Gateway', delivery })
  assert.equal(made.status, 201)
  const { id } = made.body
  const stored = async () => (await app.ask('GET', `/ssf_streams/${id}`)).body.authorization_header
  const shown = [made, await browser.ask('GET', `/ssf_streams/${id}`), await browser.ask('GET', '/ssf_streams')]
  for (const { body } of shown) assert.doesNotMatch(JSON.stringify(body), /deep-secret/)
  assert.equal(shown[1]?.body.delivery.authorization_header, '********')
  assert.equal(await stored(), 'Bearer deep-secret', 'a key reads it')
  const masked = { ...push, authorization_header: '********' }
  assert.equal((await browser.ask('PATCH', `/ssf_streams/${id}`, { delivery: masked, name: 'G' })).status, 200)
  assert.equal(await stored(), 'Bearer deep-secret')
  const elsewhere = { ...masked, endpoint_url: 'https://elsewhere.example.com/events' }
  assert.equal((await browser.ask('PATCH', `/ssf_streams/${id}`, { delivery: elsewhere })).status, 200)
  assert.equal(await stored(), undefined, 'it does not follow the URL to another host')
  for (const [method, path] of [
    ['POST', '/ssf_streams'],
    ['PATCH', `/ssf_streams/${id}`],
  ] as const) {
    const { status, body } = await browser.ask(method, path, { delivery: masked })
    assert.deepEqual([status, body.errors?.[0]?.field], [422, 'delivery/authorization_header'], 'a mask of nothing')
  }
})

test('revealStreamAuthorization: with a fresh proof, written down, and only to whoever may manage streams', async () => {
  const browser = await signedIn()
  const delivery = {
    ...{ method: 'urn:ietf:rfc:8935', endpoint_url: 'https://receiver.example.com/events' },
    authorization_header: 'Bearer deep-secret',
  }
  const { id } = (await browser.ask('POST', '/ssf_streams', { name: 'Gateway', delivery })).body
  const path = `/ssf_streams/${id}/reveal_authorization_header`
  const shown = await browser.ask('POST', path)
  assert.deepEqual([shown.status, shown.body], [200, { authorization_header: 'Bearer deep-secret' }])
  const entries = () =>
    app.db.selectFrom('audit_logs').selectAll().where('action', '=', 'stream.authorization_revealed').execute()
  const [entry] = await entries()
  assert.deepEqual(entry?.about, [`stream:${id}`])
  assert.doesNotMatch(JSON.stringify(entry), /deep-secret/)
  app.setNow(plusMs(startOfTests, stepUpMs))
  assert.equal((await browser.ask('POST', path)).body.error, 'step_up_needed')
  const limited = await signedIn({
    ...{ access: 'limited', restrictions: ['manage_ssf_streams'], email: 'limited@acme.example' },
  })
  assert.equal((await limited.ask('POST', path)).status, 403)
  assert.equal((await entries()).length, 1)
  assert.equal((await app.ask('POST', path)).status, 404, 'not for keys, which read it in the record')
})
