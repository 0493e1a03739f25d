import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { webhookExample } from '@muster/contract/webhook-examples.ts'
import { testApp } from '../../../test/support/app.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { webhookRowsIn } from '../../../test/support/webhook-rows.ts'
import { plusMs } from '../../base/time.ts'
import { webhookLogCommands } from './webhook-log-commands.ts'

const trial = testApp()
const make = makeIn(trial.database)
const rows = webhookRowsIn(trial.database)
const run = commandsOn(trial, startOfTests)
const minutesAgo = (count: number) => plusMs(startOfTests, -count * 60_000)

beforeEach(() => trial.reset())

test('the log is listed newest first, all of it or what failed, and as JSON', async () => {
  const endpoint = await make.webhookEndpoint(trial.tenant.organizationId)
  const failed = await rows.delivery(endpoint, {
    ...{ state: 'failed', attempts: 10, last_status: 503, last_error: 'No\u001b[31m' },
  })
  const waiting = await rows.delivery(endpoint, { event: 'issues.new' })
  const flags = { endpoint: endpoint.id, failed: false, last: 20, json: false }
  const [heads, ...lines] = (await run(webhookLogCommands.log, flags)).out.trimEnd().split('\n')
  assert.match(heads ?? '', /^ID +QUEUED +EVENT +STATE +SENT +STATUS +NEXT ATTEMPT +ERROR$/)
  assert.deepEqual(
    lines.map((line) => line.split(/ {2,}/)),
    [
      [waiting.id, startOfTests, 'issues.new', 'pending', '0', '–', startOfTests, '–'],
      [...[failed.id, startOfTests, 'device_trust.status_changed', 'failed', '10', '503', '–'], 'No\u{FFFD}[31m'],
    ],
  )
  const { out: only } = await run(webhookLogCommands.log, { ...flags, failed: true, json: true })
  const { body } = await trial.ask('GET', `/webhook_endpoints/${endpoint.id}/deliveries?query=state:failed`)
  assert.deepEqual(
    only
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    body.data,
  )
  const { out: last } = await run(webhookLogCommands.log, { ...flags, last: 1, json: true })
  assert.deepEqual(JSON.parse(last).id, waiting.id)
  await assert.rejects(run(webhookLogCommands.log, { ...flags, endpoint: '900000000000001' }), { code: 'not_found' })
})

test('a test event is waited for until it was sent once, and its outcome told', async () => {
  const endpoint = await make.webhookEndpoint(trial.tenant.organizationId)
  const tried = async (status: number | null, error: string | null) => {
    const testing = run(webhookLogCommands.test, { endpoint: endpoint.id, waitSeconds: 20 })
    const unsent = () =>
      trial.db.selectFrom('webhook_deliveries').selectAll().where('attempts', '=', 0).executeTakeFirst()
    await until(10_000, async () => (await unsent()) !== undefined)
    const sent = await unsent()
    assert.ok(sent)
    const state = error === null ? 'delivered' : 'pending'
    await trial.db
      .updateTable('webhook_deliveries')
      .set({
        attempts: 1,
        state,
        last_error: error,
        next_attempt_at: error === null ? null : plusMs(startOfTests, 5_000),
      })
      .where('id', '=', sent.id)
      .execute()
    await rows.attempt(sent, { status, error })
    const { exit, out } = await testing
    return [exit, ...out.replace(`delivery ${sent.id}`, 'delivery ID').trimEnd().split('\n')]
  }
  const queued = 'Queued a test event as delivery ID'
  assert.deepEqual(await tried(204, null), [0, queued, 'Delivered: answered 204 after 13 ms'])
  const next = `the next attempt is due at ${plusMs(startOfTests, 5_000)}`
  assert.deepEqual(await tried(503, 'It answered 503'), [
    ...[1, queued, `Not delivered: answered 503 after 13 ms (It answered 503); ${next}`],
  ])
  assert.deepEqual(await tried(null, 'The connection was refused'), [
    ...[1, queued, `Not delivered: no answer after 13 ms (The connection was refused); ${next}`],
  ])
})

test('a test event that nobody sends is left to the worker', async () => {
  const endpoint = await make.webhookEndpoint(trial.tenant.organizationId)
  const { exit, out } = await run(webhookLogCommands.test, { endpoint: endpoint.id, waitSeconds: 0 })
  assert.equal(exit, 1)
  assert.match(out, /It was not sent yet: a worker sends it/)
  const leaving = new AbortController()
  const waiting = run(webhookLogCommands.test, { endpoint: endpoint.id, waitSeconds: 120 }, { signal: leaving.signal })
  leaving.abort()
  assert.equal((await waiting).exit, 1)
})

test('an example of any event is sent as its receivers know it, to an endpoint that chose another one', async () => {
  const endpoint = await make.webhookEndpoint(trial.tenant.organizationId, { events: ['devices.created'] })
  for (const event of webhookEvents) {
    const { exit, out } = await run(webhookLogCommands.test, { endpoint: endpoint.id, event, waitSeconds: 0 })
    assert.equal(exit, 1, 'nobody has sent it yet')
    const [, said, id] = /^Queued (.*) as delivery (\d+)\n/.exec(out) ?? []
    assert.equal(said, `an example of ${event}`)
    const delivery = await trial.db
      .selectFrom('webhook_deliveries as delivery')
      .innerJoin('webhook_messages as message', 'message.id', 'delivery.message_id')
      .select(['delivery.event', 'delivery.endpoint_id', 'delivery.state', 'message.body'])
      .where('delivery.id', '=', id ?? '')
      .executeTakeFirstOrThrow()
    const { body, ...row } = delivery
    assert.deepEqual(row, { event, endpoint_id: endpoint.id, state: 'pending' })
    const sent = JSON.parse(body)
    assert.equal(sent.event, event)
    if (event !== 'webhook.test') assert.deepEqual(sent.data, webhookExample(event).data)
    const { body: log } = await trial.ask('GET', '/audit_logs')
    const told = event === 'webhook.test' ? 'a test event' : `an example of the event "${event}"`
    assert.ok(log.data[0].description.startsWith(`Sent ${told} to `), log.data[0].description)
  }
})

test('one delivery is sent again, or all that failed since a moment, and the audit log tells it', async () => {
  const endpoint = await make.webhookEndpoint(trial.tenant.organizationId)
  const failed = []
  for (const minutes of [50, 40, 30, 20]) {
    failed.push(await rows.delivery(endpoint, { state: 'failed', queued_at: minutesAgo(minutes) }))
  }
  const one = await run(webhookLogCommands.resend, { endpoint: endpoint.id, delivery: failed[3]?.id ?? '' })
  assert.match(one.out, /^Queued it again as delivery \d+\n$/)
  const since = { endpoint: endpoint.id, failedSince: minutesAgo(40) }
  assert.equal((await run(webhookLogCommands.resend, since)).out, 'Queued 2 deliveries again\n')
  assert.equal((await run(webhookLogCommands.resend, since)).out, 'Queued 0 deliveries again\n')
  const { body } = await trial.ask('GET', `/webhook_endpoints/${endpoint.id}/deliveries?query=state:pending`)
  assert.deepEqual(
    body.data.map(({ resent_from }: { resent_from: string }) => resent_from),
    [failed[2]?.id, failed[1]?.id, failed[3]?.id],
  )
  const audit = (await trial.ask('GET', '/audit_logs?query=description~"again"')).body.data
  assert.deepEqual(
    audit.map(({ description, actor_name }: Record<string, string>) => [
      description,
      /\(command line\)$/.test(actor_name ?? ''),
    ]),
    [
      ['Sent 2 deliveries to the webhook endpoint at "receiver.example.com" again.', true],
      ['Sent a delivery to the webhook endpoint at "receiver.example.com" again.', true],
    ],
  )
})

test('a repeat of both, of neither or since no moment is refused', async () => {
  const endpoint = await make.webhookEndpoint(trial.tenant.organizationId)
  for (const flags of [{}, { delivery: '1', failedSince: minutesAgo(1) }, { failedSince: 'yesterday' }]) {
    await assert.rejects(run(webhookLogCommands.resend, { endpoint: endpoint.id, ...flags }), /say either --delivery/)
  }
  await assert.rejects(run(webhookLogCommands.resend, { endpoint: endpoint.id, delivery: '1' }), { code: 'not_found' })
})
