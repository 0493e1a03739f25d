import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { sql } from 'kysely'
import { baseUrl, testApp } from '../../../../test/support/app.ts'
import { engine } from '../../../../test/support/database.ts'
import { letBlocksThrough } from '../../../../test/support/let-blocks-through.ts'
import { contextAt, type MadeCheck, makeIn, startOfTests } from '../../../../test/support/make.ts'
import { numberEvents } from '../../../../test/support/number-events.ts'
import { purgeDevices } from '../../../administration/registrations/purge-devices.ts'
import { plusMs } from '../../../base/time.ts'

const app = testApp()
const make = makeIn(app.database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)
const digestOf = (ids: Iterable<string>) => {
  const sorted = [...ids].sort((one, other) => Number(one) - Number(other))
  return createHash('sha256')
    .update(sorted.map((id) => `${id}\n`).join(''))
    .digest('hex')
}

beforeEach(() => app.reset())

/** What a token says, verified by a library that knows nothing of us. */
async function read(token: string, typ: string, audience: string) {
  const keys = createLocalJWKSet((await app.ask('GET', '/ssf/jwks.json', { key: undefined })).body)
  const options = { issuer: baseUrl, audience, typ, algorithms: ['RS256'], currentDate: new Date(app.now()) }
  const { payload } = await jwtVerify(token, keys, options)
  return payload as JWTPayload & {
    sequence: number
    digest: string
    next?: string
    devices: { sub_id: { device: { sub: string } }; current_status: string }[]
  }
}

async function fleet(count: number, organizationId = app.tenant.organizationId) {
  const owner = await make.person(organizationId, { email: 'ana@acme.example' })
  const check = await make.check(organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  await letBlocksThrough(app.db, organizationId, check.id, app.now())
  const devices = []
  for (let made = 0; made < count; made += 1) {
    devices.push(await make.device(organizationId, { registered_owner_id: owner.id }))
  }
  return { check, devices }
}

test('getSsfStreamSnapshot: registered devices with what was last told of them, signed, page by page', async () => {
  const { organizationId } = app.tenant
  const stream = await make.stream(organizationId)
  const { check, devices } = await fleet(3)
  await make.device(organizationId)
  const [one, two, three] = devices
  assert.ok(one && two && three)
  await make.result({ device: two, check, rows: 'FAIL', at: minute(1) })
  const path = `/ssf_streams/${stream.id}/snapshot`
  const first = await app.ask('GET', `${path}?per_page=2`)
  const { next_cursor: cursor } = first.body.pagination
  const next = `${baseUrl}/ssf_streams/${stream.stream_id}/snapshot?cursor=${cursor}&per_page=2`
  assert.equal(first.headers['cache-control'], 'no-store')
  assert.deepEqual(
    [first.status, first.body],
    [
      200,
      {
        sequence: 1,
        token: first.body.token,
        devices: [
          { device_id: one.id, user_email: 'ana@acme.example', current_status: 'compliant' },
          { device_id: two.id, user_email: 'ana@acme.example', current_status: 'not-compliant' },
        ],
        pagination: { next, current_cursor: '', next_cursor: cursor, count: 2 },
      },
    ],
  )
  const audience = `${baseUrl}/ssf_streams/${stream.stream_id}`
  const user = { format: 'email', email: 'ana@acme.example' }
  const subject = (sub: string) => ({
    ...{ format: 'complex', user, device: { format: 'iss_sub', iss: baseUrl, sub } },
    tenant: { format: 'opaque', id: organizationId },
  })
  assert.deepEqual(await read(first.body.token, 'muster-snapshot+jwt', audience), {
    iss: baseUrl,
    aud: audience,
    iat: Date.parse(app.now()) / 1_000,
    stream_id: stream.stream_id,
    sequence: 1,
    devices: [
      { sub_id: subject(one.id), current_status: 'compliant' },
      { sub_id: subject(two.id), current_status: 'not-compliant' },
    ],
    next,
  })
  await make.result({ device: one, check, rows: 'FAIL', at: minute(2) })
  const second = await app.ask('GET', next.replace(baseUrl, ''))
  assert.deepEqual(second.body.devices, [
    { device_id: three.id, user_email: 'ana@acme.example', current_status: 'compliant' },
  ])
  assert.deepEqual(second.body.pagination, { next: '', current_cursor: cursor, next_cursor: '', count: 1 })
  const last = await read(second.body.token, 'muster-snapshot+jwt', audience)
  assert.deepEqual([last.sequence, last.next], [2, undefined])
})

test('a stream in the draft layout has its subjects in that layout, and a push stream its own audience', async () => {
  const endpoint_url = 'https://receiver.example.com/events'
  const stream = await make.stream(app.tenant.organizationId, { spec_version: 'draft', endpoint_url })
  const { devices } = await fleet(1)
  const { body } = await app.ask('GET', `/ssf_streams/${stream.stream_id}/snapshot`)
  const claims = await read(body.token, 'muster-snapshot+jwt', endpoint_url)
  const user = { format: 'email', email: 'ana@acme.example' }
  assert.deepEqual(claims.devices, [
    { subject: { user, device: { format: 'opaque', id: devices[0]?.id } }, current_status: 'compliant' },
  ])
})

test('a blocked device that nobody is registered on any more is still told, for receivers continue blocking it', async () => {
  const stream = await make.stream(app.tenant.organizationId)
  const { check, devices } = await fleet(2)
  const [one] = devices
  assert.ok(one)
  await make.result({ device: one, check, rows: 'FAIL', at: minute(1) })
  await app.db.updateTable('devices').set({ registered_owner_id: null, registered_at: null }).execute()
  const { body } = await app.ask('GET', `/ssf_streams/${stream.id}/snapshot`)
  assert.deepEqual(body.devices, [{ device_id: one.id, user_email: null, current_status: 'not-compliant' }])
  const checkpoint = await app.ask('GET', `/ssf_streams/${stream.id}/checkpoint`)
  assert.equal(checkpoint.body.digest, digestOf([one.id]))
})

test('a blocked device that is gone for good is still told in its place among the others', async () => {
  const stream = await make.stream(app.tenant.organizationId)
  const { check, devices } = await fleet(4)
  const [, gone, allowed, blocked] = devices
  assert.ok(gone && allowed && blocked)
  for (const device of [gone, blocked]) await make.result({ device, check, rows: 'FAIL', at: minute(1) })
  const deleted = [gone.id, allowed.id]
  await app.db
    .updateTable('devices')
    .set({ deleted_at: minute(2) })
    .where('id', 'in', deleted)
    .execute()
  const digest = digestOf([gone.id, blocked.id])
  const tell = async () => (await app.ask('GET', `/ssf_streams/${stream.id}/checkpoint`)).body.digest
  assert.equal(await tell(), digest)
  assert.equal(await purgeDevices(app.db, minute(3), contextAt(minute(4))), 2)
  assert.equal(await tell(), digest)
  const pages = []
  let path = `/ssf_streams/${stream.id}/snapshot?per_page=1`
  while (path !== '') {
    const { body } = await app.ask('GET', path)
    pages.push(body.devices.map((device: { device_id: string }) => device.device_id))
    path = body.pagination.next.replace(baseUrl, '')
  }
  assert.deepEqual(pages, [[devices[0]?.id], [gone.id], [blocked.id]])
})

test('getSsfStreamCheckpoint: the digest of all blocked devices at a place of the stream, signed', async () => {
  const stream = await make.stream(app.tenant.organizationId)
  await fleet(1, (await app.addTenant()).organizationId)
  const { check, devices } = await fleet(12)
  const path = `/ssf_streams/${stream.id}/checkpoint`
  const empty = (await app.ask('GET', path)).body
  assert.deepEqual(empty, {
    sequence: 0,
    digest: createHash('sha256').digest('hex'),
    blocked_devices_count: 0,
    settled: true,
    at: app.now(),
    token: empty.token,
  })
  // More than nine, so that the order of numbers is not the order of texts.
  for (const device of devices) await make.result({ device, check, rows: 'FAIL', at: minute(1) })
  const { status, body } = await app.ask('GET', path)
  const facts = {
    sequence: 12,
    digest: digestOf(devices.map(({ id }) => id)),
    blocked_devices_count: 12,
    settled: false,
  }
  assert.deepEqual([status, body], [200, { ...facts, at: app.now(), token: body.token }])
  const audience = `${baseUrl}/ssf_streams/${stream.stream_id}`
  assert.deepEqual(await read(body.token, 'muster-checkpoint+jwt', audience), {
    ...{ iss: baseUrl, aud: audience, iat: Date.parse(app.now()) / 1_000, stream_id: stream.stream_id },
    ...facts,
  })
  await app.db.updateTable('ssf_stream_events').set({ state: 'acknowledged' }).execute()
  assert.equal((await app.ask('GET', path)).body.settled, true)
})

test('all pages of a large fleet come in one answer, a token on each line', async () => {
  const { organizationId } = app.tenant
  const stream = await make.stream(organizationId)
  const owner = await make.person(organizationId)
  await sql`
    insert into devices (organization_id, name, device_type, form_factor, created_at, registered_owner_id, registered_at, signalled_status)
    select ${organizationId}, 'Mac ' || n, 'Mac', 'computer', now(), ${owner.id}::bigint, now(), case when n % 7 = 0 then 'not-compliant' end
    from generate_series(1, 20000) as n`.execute(app.db)
  const path = `/ssf_streams/${stream.id}/snapshot`
  const { status, body, headers } = await app.ask('GET', path, { headers: { accept: 'application/x-ndjson' } })
  assert.deepEqual([status, headers['content-type']], [200, 'application/x-ndjson'])
  const tokens = String(body).trimEnd().split('\n')
  assert.equal(tokens.length, 20)
  const audience = `${baseUrl}/ssf_streams/${stream.stream_id}`
  const pages = []
  for (const token of tokens) pages.push(await read(token, 'muster-snapshot+jwt', audience))
  assert.deepEqual(
    pages.map(({ next }) => next === undefined),
    pages.map((_, index) => index === 19),
  )
  const devices = pages.flatMap((page) => page.devices)
  assert.equal(new Set(devices.map(({ sub_id }) => sub_id.device.sub)).size, 20_000)
  const blocked = devices.filter(({ current_status }) => current_status === 'not-compliant')
  const checkpoint = await app.ask('GET', `/ssf_streams/${stream.id}/checkpoint`)
  assert.equal(checkpoint.body.digest, digestOf(blocked.map(({ sub_id }) => sub_id.device.sub)))
  // An answer that was cut continues where its last whole line says.
  const rest = await app.ask('GET', String(pages[17]?.next).replace(baseUrl, ''), {
    headers: { accept: 'application/x-ndjson' },
  })
  assert.equal(String(rest.body).trimEnd().split('\n').length, 2)
})

test('a snapshot is of one stream and for keys that manage streams', async () => {
  const { organizationId } = app.tenant
  const [stream, other] = [await make.stream(organizationId), await make.stream(organizationId)]
  await fleet(2)
  const { body } = await app.ask('GET', `/ssf_streams/${stream.id}/snapshot?per_page=1`)
  const { next_cursor: cursor } = body.pagination
  assert.equal((await app.ask('GET', `/ssf_streams/${other.id}/snapshot?cursor=${cursor}`)).status, 400)
  assert.equal((await app.ask('GET', `/ssf_streams/${stream.id}/snapshot?per_page=1001`)).status, 422)
  const stranger = await app.addTenant()
  for (const name of ['snapshot', 'checkpoint']) {
    const path = `/ssf_streams/${stream.id}/${name}`
    assert.equal((await app.ask('GET', path, { key: app.tenant.readOnlyKey })).status, 403)
    assert.equal((await app.ask('GET', path, { key: stranger.key })).status, 404)
    assert.equal((await app.ask('GET', `/ssf_streams/x/${name}`)).status, 404)
  }
})

type Told = { device_id: string | null; sequence: string | null; event: Record<string, unknown> }

/** What a receiver that applies every event up to a place keeps: the devices that it blocks. */
function blockedAt(told: readonly Told[], sequence: number): Set<string> {
  const blocked = new Set<string>()
  for (const { device_id, sequence: place, event } of told) {
    if (Number(place) > sequence || device_id === null) continue
    if (event['current_status'] === 'not-compliant') blocked.add(device_id)
    else blocked.delete(device_id)
  }
  return blocked
}

async function everythingTold(streamId: string): Promise<Told[]> {
  await numberEvents(app.db, [{ organizationId: app.tenant.organizationId, streamId }])
  return app.db
    .selectFrom('ssf_stream_events as event')
    .innerJoin('ssf_signals as signal', 'signal.id', 'event.signal_id')
    .select(['event.device_id', 'event.sequence', 'signal.event'])
    .where('event.stream_id', '=', streamId)
    .orderBy('event.sequence')
    .execute()
}

/** Fails and mends devices for a while, each one after the other, all at once. */
async function commotion(
  devices: readonly { organization_id: string; id: string }[],
  check: MadeCheck,
  { first, rounds }: { first: number; rounds: number },
) {
  const changes = devices.map(async (device) => {
    for (let round = first; round < first + rounds; round += 1) {
      await make.result({ device, check, rows: Math.random() < 0.5 ? 'FAIL' : 'PASS', at: minute(round) })
    }
  })
  await Promise.all(changes)
}

type Seen =
  | { sequence: number; digest: string }
  | { sequence: number; devices: { device_id: string; current_status: string }[] }

test('while devices change, a receiver proves by every checkpoint that it missed nothing, and starts right from every page', async () => {
  const stream = await make.stream(app.tenant.organizationId)
  const { check, devices } = await fleet(16)
  const seen: Seen[] = []
  let isOver = false
  const look = async (name: string) => {
    while (!isOver) seen.push((await app.ask('GET', `/ssf_streams/${stream.id}/${name}`)).body)
  }
  const key = { organizationId: app.tenant.organizationId, streamId: stream.id }
  const number = async () => {
    while (!isOver) await numberEvents(app.db, [key])
  }
  const looking = [look('checkpoint'), look('checkpoint'), look('snapshot?per_page=7'), number()]
  const rounds = engine === 'postgres' ? 15 : 4
  // How often one looks meanwhile is for the machine to say.
  for (let first = 1; first === 1 || (seen.length <= 10 && first < 400); first += rounds) {
    await commotion(devices, check, { first, rounds })
  }
  isOver = true
  await Promise.all(looking)
  const told = await everythingTold(stream.id)
  assert.ok(told.length > 20 && seen.length > 10, `${told.length} events, ${seen.length} looks`)
  for (const look of seen) {
    const blocked = blockedAt(told, look.sequence)
    if ('digest' in look) assert.equal(look.digest, digestOf(blocked), `at ${look.sequence}`)
    else {
      for (const { device_id, current_status } of look.devices) {
        assert.equal(current_status === 'not-compliant', blocked.has(device_id), `${device_id} at ${look.sequence}`)
      }
    }
  }
})
