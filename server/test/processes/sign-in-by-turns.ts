import assert from 'node:assert/strict'
import type { TestDatabase } from '../support/database.ts'
import { freePort, type Hooks } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { openSignInPlace, type SignInPlace } from './sign-in-place.ts'

/** Two servers that know people by one address. Who reaches `byTurns` is answered by one, then by the other. */
export async function openTwoServers(
  hooks: Hooks,
  { url, db }: Pick<TestDatabase, 'url' | 'db'>,
  more: Record<string, string> = {},
) {
  const ports = [String(await freePort()), String(await freePort())]
  const baseUrl = `http://localhost:${ports[0]}`
  const settings = {
    MUSTER_RATE_LIMIT_PER_MINUTE: '1000000',
    MUSTER_BASE_URL: baseUrl,
    MUSTER_TRUST_PROXY: 'loopback',
    ...more,
  }
  const place = openPostgresPlace(hooks, { url, db }, settings)
  const [port = '', otherPort = ''] = ports
  const first = await place.start(['serve', '--no-worker'], { PORT: port })
  const second = await place.start(['serve', '--no-worker'], { PORT: otherPort })
  const all = await openSignInPlace(hooks, { place, server: first, baseUrl })
  let turn = 0
  const byTurns = {
    get origin() {
      turn += 1
      return (turn % 2 === 0 ? first : second).origin
    },
  }
  return { place, first, second, all, byTurns }
}

/** One sign-in of the person of the place, who may come again and again; returns the ID token. */
export async function signInOnce(all: SignInPlace, from?: string): Promise<string> {
  const visit = await (await all.arrive(from)).begin()
  await visit.post('once-more')
  assert.equal((await visit.prove()).state, 'passed')
  const { status, text } = await all.redeem(await visit.finish())
  assert.equal(status, 200, text)
  return (JSON.parse(text) as { id_token: string }).id_token
}
