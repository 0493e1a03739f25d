import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { tokensOf } from '../../../test/support/event-tokens.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { numberEvents } from '../../../test/support/number-events.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { transact } from '../../base/db/transact.ts'
import { issueTokens } from '../../signals/streams/issue-tokens.ts'
import { listPending } from '../../signals/streams/list-pending.ts'
import { queueComplianceChanges } from '../../signals/streams/queue-signals.ts'
import { tokenSigner } from '../../signals/streams/token-signer.ts'
import { signingKeyCommands } from './signing-key-commands.ts'
import { streamCommands } from './stream-commands.ts'

const trial = testApp()
const make = makeIn(trial.database)
const run = commandsOn(trial, startOfTests)

beforeEach(() => trial.reset())

const queue = (deviceId: string) =>
  transact(trial.db, (tx) =>
    queueComplianceChanges(tx, trial.tenant.organizationId, [
      {
        deviceId,
        ...{ previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T1' },
        occurredAt: startOfTests,
      },
    ]),
  )

async function issue(streamId: string): Promise<void> {
  const { db, secrets, now: clock, config } = trial
  const wanted = { organizationId: trial.tenant.organizationId, streamId, limit: 100, except: [], exceptDevices: [] }
  const issuer = { db, signer: tokenSigner(db, secrets), baseUrl: config.baseUrl, clock }
  await issueTokens(issuer, await listPending(db, [wanted]))
}

/** Runs `tail` until it has printed as many lines as `work` waits for. */
async function tailing(args: { last?: number; json?: boolean }, work: (lines: readonly string[]) => Promise<void>) {
  const end = new AbortController()
  const lines: string[] = []
  const given = { signal: end.signal, onLine: (line: string) => lines.push(line) }
  const tail = run(streamCommands.tail, { last: 10, json: false, ...args }, given)
  try {
    await work(lines)
  } finally {
    end.abort()
  }
  assert.equal((await tail).exit, 0)
}

const has = (lines: readonly string[], count: number) => until(10_000, async () => lines.length >= count)

test('streams are listed with how their receivers stand, by the host of the receiver alone', async () => {
  const { organizationId } = trial.tenant
  await make.stream(organizationId, { name: 'Okta\u001b[31m', endpoint_url: 'https://acme.okta.example/secret/path' })
  const { out } = await run(streamCommands.list, {})
  const [heads, row, ...rest] = out.trimEnd().split('\n')
  assert.match(heads ?? '', /^ID +NAME +DELIVERY +RECEIVER +STATUS +HEALTH +LAST DELIVERED +TROUBLE$/)
  assert.match(row ?? '', /^1 +Okta\S* +push +acme\.okta\.example +enabled /)
  assert.ok(!out.includes('secret') && !out.includes('\u001b'))
  assert.deepEqual(rest, [])
})

test('a stream is paused, enabled and deleted, and the audit log tells it', async () => {
  const { id, stream_id: uuid } = await make.stream(trial.tenant.organizationId, { name: 'Okta' })
  const set = (change: 'enable' | 'pause') => run(streamCommands[change], { stream: id, reason: 'Repairs' })
  assert.equal((await set('pause')).out, 'The stream "Okta" is paused\n')
  assert.equal((await trial.ask('GET', `/ssf_streams/status?stream_id=${uuid}`)).body.status, 'paused')
  assert.equal((await set('enable')).out, 'The stream "Okta" is enabled\n')
  assert.equal(
    (await run(streamCommands.delete, { stream: id })).out,
    'Deleted the stream "Okta", with the events that were waiting\n',
  )
  assert.equal((await trial.ask('GET', `/ssf_streams/${id}`)).status, 404)
  await assert.rejects(run(streamCommands.delete, { stream: id }), { code: 'not_found' })
  await assert.rejects(set('pause'), { code: 'not_found' })
  const audit = (await trial.ask('GET', '/audit_logs')).body.data
  assert.equal(audit.filter(({ description }: { description: string }) => description.includes('"Okta"')).length, 3)
})

test('an event is told when it is queued, and again, when it has its number', async () => {
  const { organizationId } = trial.tenant
  const device = await make.device(organizationId)
  const stream = await make.stream(organizationId, { name: 'Okta' })
  await tailing({}, async (lines) => {
    await queue(device.id)
    await has(lines, 1)
    const change = `compliance_change  compliant → not-compliant  device ${device.id}  pending`
    assert.equal(lines[0]?.replace(/^\S+/, ''), `  "Okta"  not numbered  ${change}`)
    await numberEvents(trial.db, [{ organizationId, streamId: stream.id }])
    await has(lines, 2)
    assert.equal(lines[1]?.replace(/^\S+/, ''), `  "Okta"  #1  ${change}`)
  })
})

test('as JSON an event has the claims of its token; of a forged one the fault is told', async () => {
  const { organizationId } = trial.tenant
  const stream = await make.stream(organizationId)
  await queue((await make.device(organizationId)).id)
  await issue(stream.id)
  await tailing({ json: true, last: 1 }, async (lines) => {
    await has(lines, 1)
    const event = JSON.parse(lines[0] ?? '')
    assert.equal(event.fault, null)
    assert.equal(event.claims.iss, trial.config.baseUrl)
    assert.equal(event.claims.jti, event.jti)
  })
  const tokens = await tokensOf(trial.db, trial.secrets, { organizationId, streamId: stream.id })
  const [head, , signature] = [...tokens.values()].join().split('.')
  const forged = `${head}.${Buffer.from('{"iss":"https://elsewhere.example"}').toString('base64url')}.${signature}`
  await trial.db.updateTable('ssf_stream_events').set({ token: forged }).execute()
  await tailing({ last: 1 }, async (lines) => {
    await has(lines, 1)
    assert.match(lines[0] ?? '', /NOT VERIFIED: signature verification failed$/)
  })
})

test('only the last entries that are asked for are told of what has been before, and all of a stream made since', async () => {
  const { organizationId } = trial.tenant
  const device = await make.device(organizationId)
  await make.stream(organizationId, { name: 'First' })
  for (let change = 0; change < 3; change += 1) await queue(device.id)
  await tailing({ last: 2 }, async (lines) => {
    await has(lines, 2)
    await make.stream(organizationId, { name: 'Second' })
    await queue(device.id)
    await has(lines, 4)
    const names = lines.map((line) => /"(\w+)"/.exec(line)?.[1])
    assert.deepEqual(names.toSorted(), ['First', 'First', 'First', 'Second'])
  })
})

test('a rotated key is published and signs later; in an emergency it signs at once', async () => {
  const stateOf = async (kid: string) => {
    const { out } = await run(signingKeyCommands.listSigning, {})
    return out
      .split('\n')
      .map((line) => line.split(/ {2,}/))
      .find(([, , id]) => id === kid)?.[3]
  }
  const first = await run(signingKeyCommands.rotateSigning, { emergency: true })
  assert.match(first.err, /^Out of the key set: \S+\. 0 events/)
  assert.equal(await stateOf(first.out.trim()), 'signing')
  const next = await run(signingKeyCommands.rotateSigning, { emergency: false })
  assert.match(next.err, /signs from 2026-11-20T12:00:00\.000Z on/)
  assert.equal(await stateOf(next.out.trim()), 'published')
  assert.equal(await stateOf(first.out.trim()), 'signing')
  const published = (await trial.ask('GET', '/ssf/jwks.json')).body.keys
  const kids = published.map(({ kid }: { kid: string }) => kid)
  assert.ok(kids.includes(first.out.trim()) && kids.includes(next.out.trim()))
})

test('the key of each purpose can be replaced, and the command says when it signs and how long the old one stays', async () => {
  const times = {
    signals: ['12:00:00', '2026-12-21T12:00:00'],
    challenge: ['10:15:00', '2026-11-20T11:15:00'],
    oidc: ['12:00:00', '2026-11-21T12:00:00'],
    entra: ['2026-11-22T10:00:00', '2026-11-23T10:00:00'],
  } as const
  for (const purpose of ['signals', 'challenge', 'oidc', 'entra'] as const) {
    const first = await run(signingKeyCommands.rotateSigning, { emergency: false, purpose })
    if (purpose !== 'signals') assert.match(first.err, /^It signs now: there was no key for this purpose/)
    const { out, err } =
      purpose === 'signals' ? first : await run(signingKeyCommands.rotateSigning, { emergency: false, purpose })
    const [from, until] = times[purpose]
    assert.match(err, new RegExp(`signs from \\S*${from}\\.000Z on.* published until ${until}\\.000Z`), purpose)
    const { out: listed } = await run(signingKeyCommands.listSigning, {})
    const row = listed.split('\n').find((line) => line.includes(out.trim()))
    assert.ok(row?.includes(` ${purpose} `), purpose)
  }
})
