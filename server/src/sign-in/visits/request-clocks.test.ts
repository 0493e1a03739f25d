import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { type JWTPayload, SignJWT } from 'jose'
import { baseUrl } from '../../../test/support/app.ts'
import { startOfTests } from '../../../test/support/make.ts'
import { signInBrowser } from '../../../test/support/sign-in-browser.ts'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { plusMs } from '../../base/time.ts'
import { readCallerClock } from '../connections/caller-clock.ts'

const warnings: [facts: object, text: string][] = []
const { stage, setUp } = signInStage({ warn: (facts, text) => warnings.push([facts, text]) })
beforeEach(() => {
  warnings.length = 0
  // No whole second: callers round theirs.
  stage.setNow(plusMs(startOfTests, 300))
})

type Set = Awaited<ReturnType<typeof setUp>>

/** What becomes of a request by a caller whose clock is so many milliseconds ahead of the server's. */
async function ask(
  { rp, connection: { clientId } }: Set,
  aheadMs: number,
  more: JWTPayload = {},
  seconds = Math.floor,
) {
  const at = seconds((Date.parse(stage.now()) + aheadMs) / 1000)
  const claims = { ...rp.plainRequest(clientId, { login_hint: 'ana@example.com' }), jti: `${Math.random()}` }
  // As openid-client writes it, and cannot be told not to.
  const request = await new SignJWT({ ...claims, iat: at, nbf: at, exp: at + 60, ...more })
    .setProtectedHeader({ alg: 'RS256', kid: 'rp', typ: 'oauth-authz-req+jwt' })
    .setIssuer(clientId)
    .setAudience(`${baseUrl}/signin/oidc`)
    .sign(rp.keys.privateKey)
  const { path, away } = await signInBrowser(stage.app).follow(rp.addressOf({ client_id: clientId, request }))
  const told = away === undefined ? undefined : new URL(away).searchParams
  return told ? `${told.get('error')}: ${told.get('error_description')}` : path.replace(/[0-9a-f]{24}$/, 'ID')
}

const clockOf = ({ organizationId, connection }: Set) =>
  readCallerClock(stage.db, { organizationId, connectionId: connection.id })

test('a caller whose clock is ahead by fractions of a second, by seconds or by minutes begins its sign-in', async () => {
  const all = await setUp()
  assert.equal(await clockOf(all), undefined)
  for (const aheadMs of [-299_000, -45_000, -999, 0, 300, 700, 999, 1_000, 2_000, 60_000, 299_000]) {
    const exp = Math.floor(Date.parse(stage.now()) / 1000) + 60
    assert.equal(await ask(all, aheadMs, { exp }), '/signin/ID', `${aheadMs} ms`)
  }
  const exact = await ask(all, 1_300, {}, (value) => value)
  assert.equal(exact, '/signin/ID', 'with a fraction in its own seconds')
  const longAgo = {
    iat: undefined,
    nbf: 0,
    exp: Math.floor(Date.parse(stage.now()) / 1000) + 60,
  } as unknown as JWTPayload
  assert.equal(await ask(all, 0, longAgo), '/signin/ID', 'without iat, not before 1970')
})

test('what has ended counts for ten seconds more, and the answer to what does not says by how much', async () => {
  const all = await setUp()
  const second = Math.floor(Date.parse(stage.now()) / 1000)
  assert.equal(await ask(all, 0, { exp: second - 9 }), '/signin/ID')
  const refused: [aheadMs: number, more: JWTPayload, text: string][] = [
    [0, { exp: second - 10 }, 'exp has passed 10 s ago by our clock'],
    [0, { exp: second - 900, iat: second }, 'exp has passed 900 s ago by our clock'],
    [0, { nbf: second + 302 }, 'nbf is 302 s ahead of our clock, and may be 300 s'],
    [302_000, {}, 'iat is 302 s ahead of our clock, and may be 300 s'],
    [-1_000_000, {}, 'iat is 1000 s behind our clock, and may be 300 s'],
    [86_400_000, {}, 'iat is 86400 s ahead of our clock, and may be 300 s'],
  ]
  for (const [aheadMs, more, text] of refused) {
    assert.equal(await ask(all, aheadMs, more), `invalid_request_object: ${text}`)
  }
  const [kept] = await stage.db.selectFrom('signin_refusals').select(['connection_id', 'reason']).execute()
  assert.deepEqual(kept, { connection_id: all.connection.id, reason: 'request_time' })
  assert.deepEqual(warnings.at(0), [
    { clientId: all.connection.clientId, refused: 1, fault: 'exp has passed 10 s ago by our clock' },
    'Requests began no sign-in',
  ])
})

test('the clock of a caller is kept with its sign-ins, and told once an hour where it is off', async () => {
  const all = await setUp()
  await ask(all, -30_000)
  assert.equal(await clockOf(all), -30_300)
  await ask(all, 2_000)
  await ask(all, -500)
  assert.equal(await clockOf(all), 1_700, 'the request that took least time says it best')
  assert.deepEqual(warnings, [
    [{ clientId: all.connection.clientId, aheadSeconds: -30.3 }, 'The clock of a caller differs from ours'],
  ])
})
