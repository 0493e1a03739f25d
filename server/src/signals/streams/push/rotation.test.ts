import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { testApp } from '../../../../test/support/app.ts'
import { makeIn } from '../../../../test/support/make.ts'
import { until } from '../../../../test/support/muster-process.ts'
import { openReceiver, outboundOfTests } from '../../../../test/support/receivers.ts'
import { systemChange } from '../../../base/change-context.ts'
import { transact } from '../../../base/db/transact.ts'
import { minuteMs, plusMs } from '../../../base/time.ts'
import { rotateSigningKey } from '../../../keys/rotate-signing-key.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import { queueComplianceChanges } from '../queue-signals.ts'
import { resignTokens } from '../resign-tokens.ts'
import { startPush } from './start-push.ts'

const app = testApp({ outbound: outboundOfTests() })
const make = makeIn(app)
const receiver = await openReceiver()
after(() => receiver.close())

/** Keeps the published keys for as long as it is told that it may, and no longer. */
function keysOfReceiver() {
  let held: { keys: Promise<JSONWebKeySet>; until: string } | undefined
  let fetches = 0

  async function fetchKeys(): Promise<JSONWebKeySet> {
    const { body, headers } = await app.ask('GET', '/ssf/jwks.json', { key: undefined })
    assert.equal(headers['cache-control'], 'public, max-age=3600')
    return body
  }

  return {
    fetches: () => fetches,
    async current() {
      if (!held || app.now() >= held.until) {
        held = { keys: fetchKeys(), until: plusMs(app.now(), 3_600_000) }
        fetches += 1
      }
      return createLocalJWKSet(await held.keys)
    },
  }
}

test('while keys are rotated under load, a receiver that honours the age of its keys verifies every token', async () => {
  const { organizationId } = app.tenant
  await make.stream(organizationId, { endpoint_url: receiver.url })
  const devices = await Promise.all(Array.from({ length: 20 }, () => make.device(organizationId)))
  const keys = keysOfReceiver()
  const seen = new Map<string, number>()
  const faults: unknown[] = []
  const verifying: Promise<void>[] = []
  receiver.answer = (received, response) => {
    const verified = keys
      .current()
      .then((set) => jwtVerify(received.token, set, { issuer: app.config.baseUrl, currentDate: new Date(app.now()) }))
      .then(
        ({ protectedHeader: { kid = '' } }) => void seen.set(kid, (seen.get(kid) ?? 0) + 1),
        (error: unknown) => void faults.push(error),
      )
      .finally(() => response.writeHead(202).end())
    verifying.push(verified)
  }
  const push = startPush(app.streams)
  try {
    // Six hours, three minutes at a time, with a rotation at the beginning and another that overtakes a third.
    for (let minute = 0; minute < 360; minute += 3) {
      if (minute === 30 || minute === 180 || minute === 190) {
        const ring = { organizationId, purpose: 'signals' } as const
        await rotateSigningKey(
          app.db,
          app.secrets,
          { ring, isEmergency: false, resign: resignTokens, record: recordAudit },
          systemChange(organizationId, app.now()),
        )
      }
      const changes = devices.map(({ id: deviceId }) => ({
        ...{ deviceId, previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T' },
        occurredAt: app.now(),
      }))
      await transact(app.db, (tx) =>
        queueComplianceChanges(tx, organizationId, changes as Parameters<typeof queueComplianceChanges>[2]),
      )
      await pause(10)
      app.setNow(plusMs(app.now(), 3 * minuteMs))
    }
    await until(60_000, async () => receiver.received.length >= 20 * 120)
    await Promise.all(verifying)
  } finally {
    await push.stop()
  }
  assert.deepEqual(faults, [])
  assert.ok(seen.size >= 3, `signed with ${seen.size} keys`)
  assert.ok(keys.fetches() <= 8, `fetched ${keys.fetches()} times in six hours`)
})
