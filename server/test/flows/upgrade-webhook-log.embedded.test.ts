import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { createLogger } from '../../src/base/logging.ts'
import { openSecrets } from '../../src/base/secrets/secrets.ts'
import { findDelivery } from '../../src/signals/webhook-ledger/log/queries.ts'
import { startDeliveries } from '../../src/signals/webhooks/deliver/start-deliveries.ts'
import { generateSecret, sealSecret } from '../../src/signals/webhooks/endpoint-secret.ts'
import { testDatabase } from '../support/database.ts'
import { openHookReceiver } from '../support/hook-receivers.ts'
import { makeIn } from '../support/make.ts'
import { migrationsBefore } from '../support/migrations-before.ts'
import { until } from '../support/muster-process.ts'
import { outboundOfTests } from '../support/receivers.ts'
import { webhookRowsIn } from '../support/webhook-rows.ts'

const old = testDatabase(await migrationsBefore('delivering_attempts'))
const secrets = openSecrets(randomBytes(32))

test('an upgrade keeps the log of webhooks as it was, and what waits is delivered', async () => {
  await old.ready
  const [make, rows] = [makeIn(old), webhookRowsIn(old)]
  const receiver = await openHookReceiver()
  after(() => receiver.close())
  const { id: organizationId } = await make.organization()
  const endpoint = await make.webhookEndpoint(organizationId, { url: receiver.url })
  const place = { organizationId, endpointId: endpoint.id }
  const secret = sealSecret(secrets, generateSecret(), place)
  await old.db.updateTable('webhook_endpoints').set({ sealed_secret: secret }).where('id', '=', endpoint.id).execute()

  const refused = { attempts: 2, last_status: 500, last_error: 'The endpoint answered 500' }
  const waiting = await rows.delivery(endpoint)
  const retried = await rows.delivery(endpoint, { ...refused, extra_attempts: 1 })
  const givenUp = await rows.delivery(endpoint, { ...refused, state: 'failed' })
  const delivered = await rows.delivery(endpoint, { attempts: 2, state: 'delivered', last_status: 200 })
  for (const delivery of [retried, retried, givenUp, givenUp, delivered]) {
    await rows.attempt(delivery, { status: 500, error: 'The endpoint answered 500', response: 'no' })
  }
  await rows.attempt(delivered, { status: 200, response: 'yes' })
  await migrate(old.connection)

  const find = async ({ id }: { id: string }) => {
    const found = await findDelivery(old.db, { ...place, deliveryId: id })
    assert.ok(found)
    const { state, attempts, extra_attempts: extra, latest_attempts: latest } = found
    assert.equal(latest.length, attempts)
    return [state, attempts, extra, latest.map(({ status, response }) => [status, response])]
  }
  const no = [500, 'no']
  assert.deepEqual(await find(waiting), ['pending', 0, 0, []])
  assert.deepEqual(await find(retried), ['pending', 2, 1, [no, no]])
  const settled = [
    ['failed', 2, 0, [no, no]],
    ['delivered', 2, 0, [[200, 'yes'], no]],
  ]
  assert.deepEqual([await find(givenUp), await find(delivered)], settled)

  const outbound = outboundOfTests({})
  const log = createLogger('silent')
  const deliveries = await startDeliveries({ connection: old.connection, secrets, clock: systemClock, log, outbound })
  try {
    await until(
      10_000,
      async () => (await find(waiting))[0] === 'delivered' && (await find(retried))[0] === 'delivered',
    )
  } finally {
    await deliveries.stop()
    await outbound.close()
  }
  assert.equal(receiver.received.length, 2)
  assert.deepEqual(await find(waiting), ['delivered', 1, 0, [[202, '']]])
  assert.deepEqual(await find(retried), ['delivered', 3, 1, [[202, ''], no, no]])
  assert.deepEqual([await find(givenUp), await find(delivered)], settled)
})
