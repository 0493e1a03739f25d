import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import net from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose'
import { testAgents } from '../../../test/support/agent-server.ts'
import { attest, callLoopback, challengeFor, pinnedOrigin } from '../../../test/support/call-loopback.ts'
import { companionMachine } from '../../../test/support/companion-client.ts'
import { found, installedCompanions } from '../../../test/support/installed-companion.ts'
import { makeIn } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { addWaitingKeys, newestSecretId } from '../../../test/support/waiting-keys.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { requestRefresh } from '../../compliance/results/request-refresh.ts'
import { nothingWaits, rotateSigningKey } from '../../keys/rotate-signing-key.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { dropUnlinkedKeys } from '../companion-keys/drop-unlinked-keys.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)
const installed = installedCompanions(agents)
const headers = { origin: pinnedOrigin }

beforeEach(() => agents.reset())
afterEach(() => installed.stopAll())

const challenge = (organizationId: string, changes?: Parameters<typeof challengeFor>[2]) =>
  challengeFor(agents, organizationId, changes)

const hello = (port: number) => callLoopback(port, '/v1/hello', { headers })

const requestCheck = (organizationId: string, deviceId: string, checkId: string) =>
  transact(database.db, (tx) => requestRefresh(tx, { organizationId, deviceId, checkId, now: agents.now() }))

const statusOf = async (checkId: string) =>
  (await database.db.selectFrom('check_results').select('status').where('check_id', '=', checkId).executeTakeFirst())
    ?.status

async function register(organizationId: string) {
  const person = await make.person(organizationId)
  await database.db
    .updateTable('devices')
    .set({ registered_owner_id: person.id, registered_at: agents.now() })
    .execute()
}

const suspendedAt = async () =>
  (await database.db.selectFrom('devices').select('registration_suspended_at').executeTakeFirstOrThrow())
    .registration_suspended_at

test('a companion enrolls, is linked by its file, and proves its device to the pinned origin', async () => {
  const companion = await installed.run()
  const { organizationId, port } = companion
  const greeting = await hello(port)
  assert.deepEqual([greeting.status, greeting.text], [204, ''])
  assert.equal(greeting.headers['access-control-allow-origin'], pinnedOrigin)
  const given = await challenge(organizationId)
  const { status, text } = await attest(port, given)
  assert.equal(status, 200)
  const { proof } = JSON.parse(text) as { proof: string }
  assert.ok(proof.length <= 2_000, 'it fits an address')
  const key = await installed.keyOf()
  const { payload } = await jwtVerify(proof, await importJWK(key?.public_jwk as JWK, 'ES256'))
  assert.equal(decodeProtectedHeader(proof)['kid'], key?.kid)
  assert.equal(decodeProtectedHeader(proof).typ, 'muster-proof+jwt')
  const { jti } = decodeJwt(given)
  const hash = createHash('sha256').update(given).digest('base64url')
  assert.deepEqual(
    [payload['nonce'], payload['sid'], payload.aud, payload['via'], payload['challenge_hash'], payload['epoch']],
    [jti, 'a-session', pinnedOrigin, 'fetch', hash, key?.epoch],
  )
  if (process.platform === 'linux') {
    assert.deepEqual(payload['peer'], { uid: process.getuid?.(), program: 'node' })
  }
  assert.equal((await attest(port, given)).status, 403, 'a challenge is proved once')
  const back = await callLoopback(port, `/v1/return?c=${await challenge(organizationId)}`, {
    headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  })
  assert.equal(back.status, 303)
  assert.match(back.headers.location ?? '', /^https:\/\/muster\.example\.com\/signin\/return#proof=ey/)
  assert.equal(back.headers['referrer-policy'], 'no-referrer')
  await companion.stop()
  assert.deepEqual(await readdir(companion.linkFolder), [])
})

test('forged, foreign and long-lived challenges are refused, and no clock is asked', async () => {
  const { organizationId, port } = await installed.run()
  const iat = Math.floor(Date.parse(agents.now()) / 1000)
  const { privateKey: foreignKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const none = (given: string) => {
    const [, payload] = given.split('.')
    return `${Buffer.from('{"alg":"none","typ":"muster-challenge+jwt"}').toString('base64url')}.${payload}.`
  }
  const refused = [
    await challenge(organizationId, { key: foreignKey }),
    await challenge(organizationId, { header: { typ: 'JWT' } }),
    await challenge(organizationId, { header: { kid: 'another' } }),
    none(await challenge(organizationId)),
    await challenge(organizationId, { payload: { origin: 'https://evil.example' } }),
    await challenge(organizationId, { payload: { iss: 'https://evil.example' } }),
    await challenge(organizationId, { payload: { aud: 'urn:muster:agent:4711' } }),
    await challenge(organizationId, { payload: { exp: iat + 3_600 } }),
  ]
  for (const given of refused) {
    const { status } = await found(async () => {
      const answer = await attest(port, given)
      return answer.status === 429 ? undefined : answer
    })
    assert.equal(status, 403)
  }
  const old = await challenge(organizationId, { payload: { iat: iat - 100_000, exp: iat - 99_950 } })
  await found(async () => ((await attest(port, old)).status === 429 ? undefined : true))
  assert.equal((await attest(port, old)).status, 403, 'proved once: whether it is fresh is for the server to judge')
})

test('a check that somebody waits for runs at once, with osqueryi alone, which enrolls nowhere', async () => {
  const companion = await installed.run()
  const { organizationId, deviceId, check, folder, port } = companion
  await writeFile(join(folder, 'osquery.flags'), '--tls_hostname=x\n--enroll_secret_path=/x\n--disable_tables=curl\n')
  const nodes = () => database.db.selectFrom('node_key_lookups').selectAll().execute()
  const before = await nodes()
  await hello(port)
  agents.pass(180)
  await requestCheck(organizationId, deviceId, check.id)
  await until(30_000, async () => (await statusOf(check.id)) === 'failing')
  await companion.stop()
  const calls = (await readFile(join(folder, 'calls'), 'utf8')).trimEnd().split('\n')
  assert.deepEqual(calls, [
    ['--flagfile=/dev/null', '--json', ' SELECT uuid, hardware_serial FROM system_info'].join('\t'),
    ['--flagfile=/dev/null', '--disable_tables=curl', '--json', ' select 1 as number'].join('\t'),
  ])
  const variables = (await readFile(join(folder, 'variables'), 'utf8')).trimEnd().split('\n')
  assert.deepEqual(
    variables.filter((name) => !['PATH', 'HOME', 'LANG', 'TEMP', 'TMP'].includes(name)),
    [],
  )
  assert.deepEqual(await nodes(), before)
  assert.equal((await database.db.selectFrom('devices').select('id').execute()).length, 1)
  assert.equal((await database.db.selectFrom('companion_keys').select('kid').execute()).length, 1)
})

test('what only the osquery node can answer is left to it', async () => {
  const { organizationId, deviceId, check, folder, port } = await installed.run('select * from absent')
  const events = await make.check(organizationId, { slug: 'of-events', sql_template: 'select * from process_events' })
  const after = await make.check(organizationId, { slug: 'of-one', sql_template: 'select 2 as number' })
  agents.context.registry.distrustAll()
  await hello(port)
  agents.pass(420)
  for (const { id } of [check, events, after]) await requestCheck(organizationId, deviceId, id)
  const waiting = async () => {
    const found = await database.db.selectFrom('check_refreshes').select('check_id').orderBy('check_id').execute()
    return found.map(({ check_id: id }) => id)
  }
  // That it is no longer waited for is written after the result.
  await until(30_000, async () => (await statusOf(after.id)) === 'failing' && !(await waiting()).includes(after.id))
  assert.deepEqual(await waiting(), [check.id, events.id])
  assert.doesNotMatch(await readFile(join(folder, 'calls'), 'utf8'), /process_events/)
})

test('the key is made once, for its user alone, and a key that the server has forgotten enrolls again', async () => {
  const companion = await installed.run()
  const file = join(companion.folder, 'companion.json')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const { kid } = JSON.parse(await readFile(file, 'utf8')) as { kid: string }
  await database.db.deleteFrom('companion_keys').execute()
  await hello(companion.port)
  const again = await found(installed.keyOf)
  assert.equal(again.kid, kid)
})

test('a companion whose key has waited for three days in vain enrolls again by itself, and is linked then', async () => {
  const { id: organizationId } = await make.organization()
  const enrollSecret = await agents.enrollmentSecret(organizationId)
  const folder = await installed.scratchFolder()
  await installed.start({ folder, enrollSecret })
  const before = await found(async () => {
    const key = await installed.keyOf()
    return key?.port ? key : undefined
  })
  const now = agents.pass(3 * 86_400 + 1)
  assert.equal(await dropUnlinkedKeys(database.db, now), 1)
  await hello(before.port ?? 0)
  const again = await found(installed.keyOf)
  assert.deepEqual([again.kid, again.enrolled_at], [before.kid, now])
  const machine = { uuid: companionMachine.hardware_uuid, serial: companionMachine.hardware_serial }
  const { client } = await agents.enrolled(organizationId, machine)
  await installed.link(folder, client)
  await until(30_000, async () => (await installed.keyOf())?.status === 'linked')
})

test('a companion that is refused since too many keys wait asks again by itself, and is let in', async () => {
  const { id: organizationId } = await make.organization()
  const enrollSecret = await agents.enrollmentSecret(organizationId)
  const place = { organizationId, enrollmentSecretId: await newestSecretId(database.db) }
  await addWaitingKeys(database.db, { ...place, count: 1_000, enrolledAt: agents.now() })
  const { lines } = await installed.start({ folder: await installed.scratchFolder(), enrollSecret })
  const refusals = () => lines.filter((line) => line.includes('wait for their link. Try again later.')).length
  await until(30_000, async () => refusals() === 2)
  const now = agents.pass(3_601)
  await until(30_000, async () => lines.includes('companion: enrolled'))
  const keys = database.db.selectFrom('companion_keys').select('status').where('enrolled_at', '=', now)
  assert.deepEqual(await keys.execute(), [{ status: 'linking' }])
})

test('a device whose clock is 26 hours behind proves itself, and its log says so', async () => {
  agents.pass(Math.round((Date.now() - Date.parse(agents.now())) / 1000) + 26 * 3_600)
  const { organizationId, port, lines } = await installed.run()
  assert.equal((await attest(port, await challenge(organizationId))).status, 200)
  assert.deepEqual(
    lines.filter((line) => line.includes('device_clock_wrong')),
    [
      "companion: device_clock_wrong: the clock of this device is 26 hours behind the server's; sign-ins work all the same",
    ],
  )
})

test('a companion that is started again on another port is found there, with the same key', async () => {
  const companion = await installed.run()
  const { folder, enrollSecret, organizationId } = companion
  const before = await installed.keyOf()
  await companion.stop()
  const impostor = net.createServer((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
  impostor.listen(companion.port, '127.0.0.1')
  await once(impostor, 'listening')
  try {
    agents.pass(60)
    await installed.start({ folder, enrollSecret })
    const port = await found(async () => {
      const now = (await installed.keyOf())?.port ?? companion.port
      return now === companion.port ? undefined : now
    })
    assert.equal((await attest(port, await challenge(organizationId))).status, 200)
    const after = await installed.keyOf()
    assert.deepEqual([after?.kid, after?.status], [before?.kid, 'linked'])
  } finally {
    impostor.close()
  }
})

test('a reinstalled companion, whose key no other has signed for, puts the registration in doubt', async () => {
  const { organizationId, client, enrollSecret, stop } = await installed.run()
  await register(organizationId)
  await stop()
  const folder = await installed.scratchFolder()
  await installed.start({ folder, enrollSecret })
  await installed.link(folder, client)
  await until(30_000, async () => (await suspendedAt()) !== null)
})

test('a key that the earlier one has signed for takes its place, and the registration stays', async () => {
  const { organizationId, client, folder, enrollSecret, port, stop } = await installed.run()
  await register(organizationId)
  const before = await installed.keyOf()
  await stop()
  await installed.start({ folder, enrollSecret, isNewKeyWanted: true })
  await installed.link(folder, client)
  const after = await found(async () => {
    const keys = await database.db.selectFrom('companion_keys').selectAll().execute()
    return keys.length === 1 && keys[0]?.kid !== before?.kid ? keys[0] : undefined
  })
  assert.deepEqual([after.status, await suspendedAt()], ['linked', null])
  const audits = await database.db
    .selectFrom('audit_logs')
    .select('description')
    .where('action', '=', 'device.companion_linked')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  assert.match(audits.description, /in place of its earlier one, which has vouched for it\.$/)
  await hello(port)
  const file = join(folder, 'companion.json')
  await until(30_000, async () => !('replaces' in JSON.parse(await readFile(file, 'utf8'))))
})

test('a companion that another organization of the server knows makes a key of its own for this one', async () => {
  const { folder, stop } = await installed.run()
  const { kid } = JSON.parse(await readFile(join(folder, 'companion.json'), 'utf8')) as { kid: string }
  await stop()
  const { id } = await make.organization()
  const state = JSON.parse(await readFile(join(folder, 'companion.json'), 'utf8')) as object
  await writeFile(join(folder, 'companion.json'), JSON.stringify({ ...state, trust: undefined }))
  await installed.start({ folder, enrollSecret: await agents.enrollmentSecret(id) })
  const made = await found(() =>
    database.db.selectFrom('companion_keys').selectAll().where('organization_id', '=', id).executeTakeFirst(),
  )
  assert.notEqual(made.kid, kid)
})

test('a companion that slept while the challenge key was replaced refuses, asks for the new one at once, and proves', async () => {
  const { organizationId, port, linkFolder } = await installed.run()
  // It is linked and knows, so that it calls again in five minutes only.
  await found(async () => ((await readdir(linkFolder)).length === 0 ? true : undefined))
  const ring = { organizationId, purpose: 'challenge' } as const
  await rotateSigningKey(
    database.db,
    agents.secrets,
    { ring, isEmergency: true, resign: nothingWaits, record: recordAudit },
    systemChange(organizationId, agents.now()),
  )
  agents.pass(20)
  const outcome = async () => {
    const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const back = await callLoopback(port, `/v1/return?c=${await challenge(organizationId)}`, { headers })
    return /#(error|proof)=/.exec(back.headers.location ?? '')?.[1]
  }
  assert.equal(await outcome(), 'error')
  await found(async () => ((await outcome()) === 'proof' ? true : undefined))
})
