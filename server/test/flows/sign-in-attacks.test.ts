import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { CompactSign, exportJWK, SignJWT } from 'jose'
import { registerDevice } from '../../src/administration/registrations/register-device.ts'
import { decideRegistrationRequest } from '../../src/administration/requests/decide-registration-request.ts'
import { refuseUnconfirmedNodes } from '../../src/agents/protocol/refuse-unconfirmed-nodes.ts'
import { transact } from '../../src/base/db/transact.ts'
import { baseUrl } from '../support/app.ts'
import { companionClient } from '../support/companion-client.ts'
import { reportLinkFiles } from '../support/link-report.ts'
import { provingDevice } from '../support/sign-in-browser.ts'
import { anaMachine, benMachine, wholeSignIn } from '../support/whole-sign-in.ts'

const whole = wholeSignIn()
const { agents, database, make, change, setUp, arrive, addCompanion, newBrowser, record } = whole

type Visit = Awaited<ReturnType<typeof arrive>>

/** Runs an attack that has to leave nothing behind. */
async function leavesNothing(attack: () => Promise<unknown>): Promise<void> {
  const before = await record()
  await attack()
  assert.deepEqual(await record(), before)
}

const refused = async (visit: Visit, proof: string, code = 'proof_invalid') => {
  const { status, error } = await visit.prove(proof)
  assert.deepEqual([status, error?.code], [403, code])
}

const bytesOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a companion that enrolls under the serial of a colleague proves nothing', async () => {
  const all = await setUp()
  const own = await companionClient(whole.address)
  const { body } = await own.enroll(all.laptop.secret)
  assert.equal(body.status, 'linking')
  const { prove } = await provingDevice(own.keys)
  for (const person of ['ana@example.com', 'ben@example.com']) {
    const visit = await arrive(all, person)
    await leavesNothing(async () => {
      await refused(visit, await prove(await visit.challenge(), own.epoch() ?? ''), 'linking')
    })
    assert.equal(await visit.finishPath(), undefined)
  }
  agents.pass(20)
  assert.ok(await reportLinkFiles(all.laptop.client, ['a-file-of-my-own-machine']))
  assert.equal((await own.checkIn()).body.status, 'linking')
})

test('a whole machine that enrolls under the serial of a colleague changes nothing, and nobody gets in with it', async () => {
  const all = await setUp()
  await all.laptop.client.config()
  const stolen = await addCompanion(all.organizationId, anaMachine)
  assert.equal(stolen.deviceId, all.laptop.deviceId)
  for (const person of ['ana@example.com', 'ben@example.com']) {
    const visit = await arrive(all, person)
    await refused(visit, await stolen.prove(await visit.challenge()), 'linking')
    assert.equal(await visit.finishPath(), undefined)
  }
  const { answered, owners } = await record()
  assert.equal(answered, 0)
  assert.deepEqual([owners[0]?.registered_owner_id, owners[0]?.registration_suspended_at], [all.ana.id, null])
  assert.ok((await all.laptop.client.config()).accepted)
  const visit = await arrive(all)
  assert.equal((await visit.prove(await all.laptop.prove(await visit.challenge()))).state, 'passed')
})

test('a whole company whose serials a colleague enrolls with the shared secret goes on working', async () => {
  const colleagues = 200
  const { id: organizationId } = await make.organization()
  const ana = await make.person(organizationId)
  const machines = Array.from({ length: colleagues }, (_, index) => ({
    uuid: `4C4C4544-0042-3510-8056-${String(index).padStart(12, '0')}`,
    serial: `PF${String(index).padStart(6, '0')}`,
  }))
  const laptops = []
  for (const machine of machines) laptops.push(await addCompanion(organizationId, machine))
  for (const { deviceId } of laptops) {
    await transact(database.db, (tx) => registerDevice(tx, { deviceId, personId: ana.id }, change(organizationId)))
  }
  const standing = async () => {
    await agents.server.agents.flush()
    const { db } = database
    return {
      devices: await db.selectFrom('devices').selectAll().orderBy('id').execute(),
      results: await db.selectFrom('check_results').selectAll().orderBy('device_id').execute(),
      tables: await db.selectFrom('device_snapshots').selectAll().orderBy('device_id').execute(),
      keys: await db
        .selectFrom('node_key_lookups')
        .selectAll()
        .where('unconfirmed_until', 'is', null)
        .orderBy('device_id')
        .execute(),
    }
  }
  const before = await standing()
  const secret = await agents.enrollmentSecret(organizationId)
  for (const machine of machines) {
    const impostor = agents.client()
    assert.ok((await impostor.enroll(secret, machine)).accepted)
    await impostor.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }))
  }
  assert.deepEqual(await standing(), before)
  agents.pass(901)
  await refuseUnconfirmedNodes(database.db, agents.now())
  const after = await standing()
  assert.equal(after.devices.filter(({ registration_suspended_at: at }) => at !== null).length, 0)
  assert.equal(after.devices.filter(({ identity_conflict_since: at }) => at !== null).length, colleagues)
  assert.deepEqual([after.results, after.tables, after.keys], [before.results, before.tables, before.keys])
  for (const { client } of laptops) assert.ok((await client.config()).accepted)
})

test('a proof that another browser got by a stolen challenge ends with the browser that lacks the cookie', async () => {
  const all = await setUp()
  const thief = await arrive(all)
  // The thief has the browser of the victim carry the challenge to the agent, by fetch or by navigation.
  for (const via of ['fetch', 'navigation']) {
    const proof = await all.laptop.prove(await thief.challenge(), { via })
    const victim = newBrowser()
    const own = await arrive(all, 'ana@example.com', victim)
    await leavesNothing(async () => {
      for (const browser of [newBrowser(), victim]) {
        const { status } = await browser.go(`${thief.path}/proof`, { method: 'POST', body: { proof } })
        assert.equal(status, 403)
      }
      await refused(own, proof)
      const { status, text } = await victim.go(`/signin/return#proof=${proof}`)
      assert.equal(status, 200)
      assert.equal(text.includes(proof), false)
    })
  }
  assert.equal(await thief.finishPath(), undefined)
})

test('a proof and a challenge count once, for a minute, and in their own sign-in only', async () => {
  const all = await setUp()
  const [visit, other] = [await arrive(all), await arrive(all)]
  const challenge = await visit.challenge()
  const proof = await all.laptop.prove(challenge)
  await leavesNothing(() => refused(other, proof))
  assert.equal((await visit.prove(proof)).state, 'passed')
  await leavesNothing(async () => {
    await refused(visit, proof)
    await refused(visit, await all.laptop.prove(challenge))
    const many = Array.from({ length: 20 }, async () => all.laptop.prove(challenge))
    for (const one of await Promise.all(many)) await refused(visit, one)
  })
  await leavesNothing(async () => {
    const late = await all.laptop.prove(await other.challenge())
    agents.pass(61)
    await refused(other, late)
  })
})

test('of one proof that is posted many times at once, one counts', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  const proof = await all.laptop.prove(await visit.challenge())
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => visit.prove(proof)))
  assert.equal(outcomes.filter(({ status }) => status === 200).length, 1)
})

test('a proof of another device, of another organization, or by a key that nobody knows does not pass', async () => {
  const all = await setUp()
  const bens = await addCompanion(all.organizationId, benMachine)
  const { id: foreignId } = await make.organization()
  const foreign = await addCompanion(foreignId, { uuid: '4C4C4544-0042-3510-8056-0000000000FF', serial: 'PF0000FF' })
  const unknown = await provingDevice()
  const visit = await arrive(all)
  await leavesNothing(async () => {
    await refused(visit, await foreign.prove(await visit.challenge()))
    await refused(visit, await unknown.prove(await visit.challenge(), 'an-epoch'))
    const challenge = await visit.challenge()
    // Ben's key under the name of Ana's.
    await refused(visit, await bens.prove(challenge, {}, { kid: all.laptop.companion.kid }))
  })
  const ben = await arrive(all, 'ben@example.com')
  assert.equal((await ben.prove(await all.laptop.prove(await ben.challenge()))).state, 'not_your_device')
  assert.equal(await ben.finishPath(), undefined)
  assert.equal((await ben.browser.go(ben.path)).text.includes('Ana'), false)
  assert.equal((await record()).answered, 0)
})

test('proofs of another type or algorithm, unsigned, or with other contents are refused', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  const { prove, companion } = all.laptop
  const publicJwk = await exportJWK(companion.keys.publicKey)
  const challenge = await visit.challenge()
  const good = await prove(challenge)
  const payload = JSON.parse(Buffer.from(good.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
  const hmac = (secret: string, header: object = {}) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: 'HS256', typ: 'muster-proof+jwt', kid: companion.kid, ...header })
      .sign(new TextEncoder().encode(secret))
  const unsigned = (alg: string) =>
    `${bytesOf({ alg, typ: 'muster-proof+jwt', kid: companion.kid })}.${bytesOf(payload)}.`
  const attempts = [
    await prove(challenge, {}, { typ: 'JWT' }),
    await prove(challenge, {}, { typ: 'muster-challenge+jwt' }),
    await prove(challenge, {}, { kid: undefined }),
    await hmac(JSON.stringify(publicJwk)),
    await hmac(publicJwk.x ?? ''),
    await hmac('', { alg: 'HS256' }).catch(() => 'x.y.z'),
    unsigned('none'),
    unsigned('None'),
    unsigned('ES256'),
    `${good.slice(0, good.lastIndexOf('.') + 1)}${'A'.repeat(86)}`,
    `${good.split('.')[0]}.${bytesOf({ ...payload, sid: 'x' })}.${good.split('.')[2]}`,
    await prove(challenge, { aud: 'https://evil.example' }),
    await prove(challenge, { aud: [baseUrl] }),
    await prove(challenge, { sid: 'another' }),
    await prove(challenge, { challenge_hash: 'A'.repeat(43) }),
    await prove(challenge, { challenge_hash: null }),
    await prove(challenge, { epoch: undefined }),
    await prove(challenge, { padding: 'x'.repeat(3_000) }),
    challenge,
    good.repeat(2),
    '',
    '..',
  ]
  await leavesNothing(async () => {
    for (const attempt of attempts) await refused(visit, attempt)
    for (const body of [{ proof: [good] }, { proof: 7 }, { proofs: good }, { proofs: [[good]] }, {}]) {
      assert.equal((await visit.post('proof', body)).status, 403)
    }
  })
})

test('a connection that a program passes on from another machine is no browser of this one', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  await leavesNothing(async () => {
    for (const program of ['sshd', 'sshd-session', 'ssh', 'socat', 'wslrelay.exe', 'docker-proxy']) {
      const peer = { uid: 1_000, program }
      await refused(visit, await all.laptop.prove(await visit.challenge(), { peer }), 'proof_relayed')
    }
  })
  assert.equal(await visit.finishPath(), undefined)
})

test('a program at the port of a companion brings nobody in, and keeps nobody out', async () => {
  const all = await setUp()
  const bens = await addCompanion(all.organizationId, benMachine)
  const registration = { deviceId: bens.deviceId, personId: all.ben.id }
  await transact(database.db, (tx) => registerDevice(tx, registration, change(all.organizationId)))
  const handOver = async (visit: Visit, proofs: string[]) => {
    const { status, text } = await visit.post('proof', { proofs })
    return [status, (JSON.parse(text) as { state?: string }).state]
  }
  // It has the challenge answered by a laptop of its own, beside everything else that it can say.
  const impostor = async (visit: Visit) => {
    const challenge = await visit.challenge()
    const foreign = await bens.prove(challenge, {}, { kid: all.laptop.companion.kid })
    return ['', '{}', 'x.y.z', challenge, foreign]
  }
  const alone = await arrive(all)
  await leavesNothing(async () => {
    assert.deepEqual(await handOver(alone, await impostor(alone)), [403, undefined])
  })
  assert.deepEqual(await handOver(alone, [await bens.prove(await alone.challenge())]), [200, 'not_your_device'])
  assert.equal(await alone.finishPath(), undefined)
  const beside = await arrive(all)
  const own = await all.laptop.prove(await beside.challenge())
  assert.deepEqual(await handOver(beside, [...(await impostor(beside)), own]), [200, 'passed'])
})

test('the challenge key of another organization makes no challenge that the server takes', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  const other = await make.organization()
  const ring = { organizationId: other.id, purpose: 'challenge' } as const
  const { kid, privateKey } = await agents.context.signingKeys.signing(ring, agents.now())
  const jti = randomBytes(32).toString('base64url')
  const forged = await new CompactSign(
    new TextEncoder().encode(JSON.stringify({ jti, sid: visit.id, origin: baseUrl, iss: baseUrl })),
  )
    .setProtectedHeader({ alg: 'ES256', typ: 'muster-challenge+jwt', kid })
    .sign(privateKey)
  await leavesNothing(async () => refused(visit, await all.laptop.prove(forged)))
})

test('fifty confirmations of a first device at once register it once, and of two devices one', async () => {
  const all = await setUp({ isRegistered: false })
  const second = await addCompanion(all.organizationId, benMachine)
  const visits = await Promise.all([all.laptop, second].map(async (laptop) => ({ laptop, visit: await arrive(all) })))
  for (const { laptop, visit } of visits) {
    assert.equal((await visit.prove(await laptop.prove(await visit.challenge()))).state, 'register')
  }
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) =>
      visits[index % 2]?.visit.post('register', { message: 'It is mine.' }),
    ),
  )
  const owners = (await record()).owners.map(({ registered_owner_id: owner }) => owner)
  assert.deepEqual(
    owners.filter((owner) => owner !== null),
    [all.ana.id],
  )
  const audits = await database.db
    .selectFrom('audit_logs')
    .select('id')
    .where('action', '=', 'device.registered')
    .execute()
  assert.equal(audits.length, 1)
})

test('of two people who confirm one device at once, one gets it', async () => {
  const all = await setUp({ isRegistered: false })
  const visits = await Promise.all(['ana@example.com', 'ben@example.com'].map((person) => arrive(all, person)))
  for (const visit of visits) await visit.prove(await all.laptop.prove(await visit.challenge()))
  await Promise.all(
    visits.flatMap((visit) => Array.from({ length: 25 }, () => visit.post('register', { message: 'Mine' }))),
  )
  const audits = await database.db
    .selectFrom('audit_logs')
    .select('id')
    .where('action', '=', 'device.registered')
    .execute()
  assert.equal(audits.length, 1)
  const answers = await Promise.all(visits.map((visit) => visit.finishPath()))
  assert.equal(answers.filter((path) => path !== undefined).length, 1)
})

test('of a copied state folder the copy is refused within 15 minutes, and the true laptop signs in throughout', async () => {
  for (const isCopyFirst of [false, true]) {
    await agents.reset()
    const all = await setUp()
    const { companion } = all.laptop
    const copy = await companionClient(whole.address, companion.keys)
    copy.holdEpoch(companion.epoch())
    const device = await provingDevice(companion.keys)
    const provesAs = async (one: typeof copy) => {
      const visit = await arrive(all)
      return visit.prove(await device.prove(await visit.challenge(), one.epoch() ?? ''))
    }
    const began = Date.parse(agents.now())
    const due = new Map([
      [companion, isCopyFirst ? 300 : 10],
      [copy, isCopyFirst ? 10 : 300],
    ])
    let file = ''
    let refusedAfter = Number.POSITIVE_INFINITY
    for (let seconds = 0; seconds <= 1_200; seconds += 10) {
      for (const [one, at] of due) {
        if (at > seconds) continue
        const { body } = await one.checkIn({ is_start: one === copy && at <= 300 })
        due.set(one, seconds + body.next_check_in_seconds)
        if (one === companion) file = body.link?.name ?? ''
      }
      // osquery of the laptop sees the file of its own companion.
      await reportLinkFiles(all.laptop.client, file === '' ? [] : [file])
      if (seconds % 60 === 0) {
        const mine = await provesAs(companion)
        assert.equal(mine.state, 'passed', `after ${seconds} s: ${JSON.stringify(mine)}`)
        const theirs = await provesAs(copy)
        if (theirs.error === undefined) refusedAfter = Number.POSITIVE_INFINITY
        else refusedAfter = Math.min(refusedAfter, (Date.parse(agents.now()) - began) / 1000)
      }
      agents.pass(10)
    }
    assert.ok(refusedAfter <= 900, `the copy was refused after ${refusedAfter} s`)
    const [standing] = (await record()).owners
    assert.equal(standing?.registration_suspended_at, null)
    const audits = await database.db
      .selectFrom('audit_logs')
      .select('description')
      .where('action', '=', 'device.companion_key_seen_twice')
      .execute()
    assert.equal(audits.length, 1)
  }
})

test('the file of a companion that another user has made links nothing', async () => {
  const all = await setUp()
  const own = await companionClient(whole.address)
  const { body } = await own.enroll(all.laptop.secret)
  const name = body.link?.name ?? ''
  const made = [{ file: { uid: '1000', gid: '1000' } }, { folder: { uid: '1000' } }, { file: { mode: '0644' } }]
  for (const changes of [...made, { folder: { mode: '0777' } }]) {
    agents.pass(20)
    assert.ok(await reportLinkFiles(all.laptop.client, [name], changes))
    assert.equal((await own.checkIn()).body.status, 'linking')
  }
  const visit = await arrive(all)
  assert.equal((await visit.prove(await all.laptop.prove(await visit.challenge()))).state, 'passed')
})

test('a reinstalled companion waits for IT, and its owner gets in as soon as the request is approved', async () => {
  const all = await setUp()
  const again = await companionClient(whole.address)
  const { body } = await again.enroll(all.laptop.secret)
  await all.laptop.link(body.link?.name)
  const { prove } = await provingDevice(again.keys)
  const visit = await arrive(all)
  assert.equal((await visit.prove(await prove(await visit.challenge(), again.epoch() ?? ''))).state, 'ask_it')
  assert.equal(await visit.finishPath(), undefined)
  assert.equal((await visit.post('register', { message: 'I installed it again.' })).status, 200)
  const state = async () => /data-state="(\w+)"/.exec((await visit.browser.go(`${visit.path}/region`)).text)?.[1]
  assert.equal(await state(), 'awaiting_approval')
  assert.equal(await visit.finishPath(), undefined)
  const { id: requestId } = await database.db.selectFrom('registration_requests').select('id').executeTakeFirstOrThrow()
  await transact(database.db, (tx) =>
    decideRegistrationRequest(tx, { requestId, decision: { status: 'approved' } }, change(all.organizationId)),
  )
  assert.equal(await state(), 'passed')
  const { away = '' } = await visit.browser.follow((await visit.finishPath()) ?? '')
  assert.match(away, /^https:\/\/app\.example\/callback\?code=/)
  const early = await arrive(all)
  await refused(early, await all.laptop.prove(await early.challenge()))
})
