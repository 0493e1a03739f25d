import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { signInBrowser } from '../support/sign-in-browser.ts'
import { extent } from '../support/soak.ts'
import { openTwoServers, signInOnce } from './sign-in-by-turns.ts'
import type { SignInPlace } from './sign-in-place.ts'

const database = testDatabase()
const rotations = extent(2, 60)
const perSecond = 50
const atOnce = 8
/** A process looks at the keys within two seconds, and everyone else within the two hours before a new one signs. */
const [seenMs, leadHours] = [2_500, 2]

testOnPostgres('an application that keeps the keys verifies every ID token, however often they rotate', async (t) => {
  const { all, byTurns } = await openTwoServers(t, database)
  all.use(byTurns)
  const keys = keepKeys(all)
  const rotate = async (...flags: string[]) =>
    (await all.run('keys', 'rotate-signing', '--purpose', 'oidc', ...flags)).trim()

  const kids: string[] = []
  const startedAt = performance.now()
  let [begun, isOver] = [0, false]
  async function signInAgainAndAgain(): Promise<void> {
    while (!isOver) {
      begun += 1
      await pause(Math.max(0, startedAt + (begun * 1_000) / perSecond - performance.now()))
      // A network may begin ten a second.
      kids.push(await keys.verify(await signInOnce(all, `10.0.${begun % 250}.1`)))
    }
  }
  const signingIn = Promise.all(Array.from({ length: atOnce }, signInAgainAndAgain))
  // A failure is that of the test when it is waited for.
  signingIn.catch(() => {})
  const made: string[] = []
  for (let turn = 0; turn < rotations; turn += 1) {
    made.push(await rotate())
    await pause(seenMs)
    await passLead()
  }
  await pause(seenMs)
  isOver = true
  await signingIn
  const seconds = (performance.now() - startedAt) / 1_000
  const used = [...new Set(kids)]
  t.diagnostic(
    `${kids.length} sign-ins, ${(kids.length / seconds).toFixed(0)} a second, by ${used.length} keys, fetched ${keys.fetched()} times`,
  )
  assert.deepEqual(used.slice(1), made, 'each signed in its turn')
  assert.ok(keys.fetched() <= used.length, 'keys are fetched where one is unknown, and not again')
  const logs = await database.db.selectFrom('auth_logs').select('result').execute()
  assert.deepEqual(
    logs.map(({ result }) => result),
    kids.map(() => 'Success'),
  )

  const replacing = await rotate('--emergency')
  await pause(seenMs)
  for (let turn = 0; turn < 4; turn += 1) assert.equal(await keys.verify(await signInOnce(all)), replacing)
})

/** As if the time had passed after which a new key takes over. */
const passLead = () =>
  sql`update signing_keys set created_at = created_at - make_interval(hours => ${leadHours}),
    active_from = active_from - make_interval(hours => ${leadHours}),
    retired_at = retired_at - make_interval(hours => ${leadHours}) where purpose = 'oidc'`.execute(database.db)

/** What an application knows of the keys: it fetches them where one is unknown, from whichever process. */
function keepKeys({ caller, web, baseUrl }: SignInPlace) {
  let fetched = 0
  const set = createRemoteJWKSet(new URL(`${baseUrl}/signin/oidc/jwks`), {
    ...{ cacheMaxAge: Number.POSITIVE_INFINITY, cooldownDuration: 0 },
    [customFetch]: async (url) => {
      fetched += 1
      const { status, text } = await signInBrowser(web, baseUrl).go(url)
      return new Response(text, { status })
    },
  })
  return {
    fetched: () => fetched,
    /** Returns the name of the key. */
    async verify(token: string): Promise<string> {
      await jwtVerify(token, set, { issuer: `${baseUrl}/signin/oidc`, audience: caller.clientId })
      return decodeProtectedHeader(token).kid ?? ''
    },
  }
}
