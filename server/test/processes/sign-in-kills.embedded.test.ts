import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort, type MusterPlace, openPlace } from '../support/muster-process.ts'
import { outliveKills, trustingReceivers } from './outlive-kills.ts'

test('a sign-in outlives kills of the server at each step', async (t) => {
  const port = String(await freePort())
  const baseUrl = `http://localhost:${port}`
  const place = openPlace(t, { ...trustingReceivers(t), MUSTER_RATE_LIMIT_PER_MINUTE: '1000000', PORT: port })
  await outliveKills(t, { place, args: ['start', '--no-agent'], baseUrl, keyOf: () => keyFrom(place) })
})

/** A key with the permission that the printed one of a trial lacks. */
async function keyFrom(place: MusterPlace): Promise<string> {
  const rights = ['--permission', 'manage_webhooks', '--rationale', 'The test receives webhooks']
  const { out, err } = await place.run(['keys', 'create', 'Webhooks', ...rights])
  return /mstr_v1_[0-9A-Za-z]{36}/.exec(out)?.[0] ?? assert.fail(err)
}
