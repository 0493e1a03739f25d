import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { addCompanionKey } from '../../src/agents/companion-keys/add-companion-key.ts'
import { linkCompanion } from '../../src/agents/companion-keys/link-companion.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import { plusMs } from '../../src/base/time.ts'
import { keyPurposes } from '../../src/keys/key-purposes.ts'
import { nothingWaits, rotateSigningKey } from '../../src/keys/rotate-signing-key.ts'
import { createConnection } from '../../src/sign-in/connections/create-connection.ts'
import { recordAudit } from '../../src/signals/audit/record-audit.ts'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { makeIn } from '../support/make.ts'
import { until } from '../support/muster-process.ts'
import { openPostgresPlace, type PostgresPlace } from '../support/postgres-place.ts'
import { provingDevice } from '../support/sign-in-browser.ts'
import { extent } from '../support/soak.ts'
import { openBalancer } from './balancer.ts'
import { loopbackBrowser } from './loopback-browser.ts'
import { openApplication, requestKeys } from './openid-application.ts'

const database = testDatabase()
const perSecond = extent(6, 50)
const seconds = extent(10, 40)
/** How long after its publication the new key signs here: every process looks within two seconds. */
const leadMs = 4_000

const nowText = () => new Date().toISOString()
const change = (now = nowText()) => systemChange('1', now)

/** Below the number of sign-ins after which an application that keeps asking for one person is not answered. */
const signInsEach = 3

/** A person, and a device of theirs that proves itself by a key of ours. */
async function addMember(number: number) {
  const email = `member${number}@acme.example`
  const person = await makeIn(database).person('1', { email })
  const device = await makeIn(database).device('1', { registered_owner_id: person.id })
  const companion = await provingDevice()
  const facts = {
    ...{ isBundled: false, hardwareUuid: null, serial: `PF${number}`, hostname: `laptop${number}` },
    ...{ platform: 'linux', agentVersion: '1' },
  }
  const key = { organizationId: '1', kid: companion.kid, jwk: companion.jwk as never, now: nowText() }
  await transact(database.db, async (tx) => {
    await addCompanionKey(tx, key, facts)
    await linkCompanion(tx, { kid: companion.kid, deviceId: device.id }, change())
  })
  const keys = database.db.selectFrom('companion_keys').select('epoch').where('kid', '=', companion.kid)
  const { epoch } = await keys.executeTakeFirstOrThrow()
  return { email, prove: (challenge: string) => companion.prove(challenge, epoch) }
}

async function addApplication(origin: string, { secrets }: PostgresPlace) {
  const [redirectUri, signing] = ['https://payroll.example/callback', await requestKeys()]
  const kind = 'second_step' as const
  const wanted = {
    kind,
    mode: 'enforce' as const,
    name: 'Payroll',
    redirectUris: [redirectUri],
    requestKeys: [signing.jwk],
  }
  const connection = await transact(database.db, (tx) => createConnection(tx, secrets, wanted, change()))
  const { request } = await openApplication(`${origin}/signin/oidc`, connection, { redirectUri, signing })
  const basic = Buffer.from(`${connection.clientId}:${connection.clientSecret}`).toString('base64')

  async function exchange(code: string, verifier: string): Promise<string> {
    const response = await fetch(`${origin}/signin/oidc/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
      }),
    })
    const body = (await response.json()) as { id_token?: string }
    return body.id_token ?? assert.fail(`${response.status} ${JSON.stringify(body)}`)
  }

  return { request, exchange }
}

testOnPostgres('keys are rotated while people sign in at two processes: nobody fails', async (t) => {
  const balancer = await openBalancer()
  t.after(() => balancer.stop())
  const settings = { MUSTER_BASE_URL: balancer.origin, MUSTER_TRUST_PROXY: '127.0.0.1' }
  const place = openPostgresPlace(t, { url: database.url, db: database.db }, settings)
  const servers = [await place.start(['serve', '--no-worker']), await place.start(['serve', '--no-worker'])]
  balancer.lead(...servers.map(({ origin }) => origin))
  const application = await addApplication(balancer.origin, place)
  const total = perSecond * seconds
  const members: Awaited<ReturnType<typeof addMember>>[] = []
  while (members.length * signInsEach < total) members.push(await addMember(members.length))

  /** The key set as each of the processes publishes it at this moment. */
  const keySets = () =>
    Promise.all(
      servers.map(async (server) => {
        const headers = { host: new URL(balancer.origin).host }
        const { body } = await server.ask('GET', '/signin/oidc/jwks', { headers })
        return JSON.parse(body) as JSONWebKeySet
      }),
    )

  /** Each of its requests meets the other process than the one before; it ends with the key that signed, and when. */
  async function signIn(number: number): Promise<{ kid: string; iat: number }> {
    const network = `198.18.${Math.floor(number / 200)}.${number % 200}`
    const browser = loopbackBrowser(balancer.origin, { 'x-forwarded-for': network })
    const member = members[number % members.length] as (typeof members)[number]
    const { address, checks } = await application.request({ login_hint: member.email })
    const visit = await browser.arrive(address)
    const { status, text } = await visit.post('proof', { proof: await member.prove(await visit.challenge()) })
    assert.equal(status, 200, text)
    const { away } = await visit.finish()
    const code = away?.searchParams.get('code') ?? assert.fail(`No code: ${away?.href}`)
    const token = await application.exchange(code, checks.pkceCodeVerifier)
    for (const keys of await keySets()) await jwtVerify(token, createLocalJWKSet(keys))
    return { kid: decodeProtectedHeader(token).kid ?? '', iat: decodeJwt(token).iat ?? 0 }
  }

  const running: Promise<{ kid: string; iat: number }>[] = []
  let rotated: Awaited<ReturnType<typeof rotateSigningKey>> | undefined
  for (let number = 0; number < total; number += 1) {
    const one = signIn(number)
    one.catch(() => {})
    running.push(one)
    if (number === perSecond * 2) {
      // On a busy machine a sign-in can take longer than the lead: one has to be signed with the key from before.
      await running[0]
      // As if it had been published so long before.
      const publishedAt = plusMs(nowText(), leadMs - keyPurposes.oidc.leadMs)
      const ring = { organizationId: '1', purpose: 'oidc' } as const
      const rotation = { ring, isEmergency: false, resign: nothingWaits, record: recordAudit }
      rotated = await rotateSigningKey(database.db, place.secrets, rotation, change(publishedAt))
    }
    await pause(1_000 / perSecond)
  }
  const outcomes = await Promise.allSettled(running)
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []))
  assert.deepEqual(failures, [])
  const signed = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const ofNew = signed.filter(({ kid }) => kid === rotated?.kid)
  t.diagnostic(`${signed.length} sign-ins at ${perSecond} a second, ${ofNew.length} of them with the new key`)
  assert.equal(new Set(signed.map(({ kid }) => kid)).size, 2, 'both keys have signed')
  assert.equal(signed.at(-1)?.kid, rotated?.kid, 'the new key signs in the end')
  const activeFrom = Math.floor(Date.parse(rotated?.activeFrom ?? '') / 1_000)
  assert.ok(
    ofNew.every(({ iat }) => iat >= activeFrom),
    'and not before its time',
  )
  const answered = await database.db.selectFrom('auth_logs').select('result').where('result', '=', 'Success').execute()
  assert.equal(answered.length, total)

  await t.test(
    // A process looks at its keys again every two seconds.
    'a key that is withdrawn leaves the key sets of both, without a restart',
    async () => {
      const ring = { organizationId: '1', purpose: 'oidc' } as const
      const { withdrawn } = await rotateSigningKey(
        database.db,
        place.secrets,
        { ring, isEmergency: true, resign: nothingWaits, record: recordAudit },
        change(),
      )
      assert.equal(withdrawn.length > 0, true)
      await until(60_000, async () => {
        const published = (await keySets()).flatMap(({ keys }) => keys.map(({ kid }) => kid))
        return !published.some((kid) => withdrawn.includes(kid ?? ''))
      })
    },
  )
})
