import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transact } from '../../src/base/db/transact.ts'
import { dayMs, minuteMs, plusMs } from '../../src/base/time.ts'
import { ensureSigningKey, nothingWaits, rotateSigningKey } from '../../src/keys/rotate-signing-key.ts'
import { publishedSet } from '../../src/keys/signing-keys.ts'
import {
  createEntraConnection,
  type NewEntraConnection,
} from '../../src/sign-in/connections/create-entra-connection.ts'
import { recordAudit } from '../../src/signals/audit/record-audit.ts'
import { anaOid, appId, type Cloud, clouds, entraStandIn, readForm, tenantId } from '../support/entra-stand-in.ts'
import { signInStage } from '../support/sign-in-stage.ts'

const entra = entraStandIn()
const { stage, make, change, setUp, epochOf } = signInStage({ fetchFromEntra: entra.fetchDocument })

type Setting = Parameters<typeof setUp>[0] & { entra?: Partial<NewEntraConnection> }

/** Ana with her laptop, and Microsoft Entra in front of her applications. */
async function start({ entra: given, ...setting }: Setting = {}) {
  await entra.heal()
  const all = await setUp(setting)
  const asked = {
    name: 'Microsoft 365',
    cloud: 'global' as const,
    tenantIds: [tenantId],
    appId,
    mode: 'enforce' as const,
    ...given,
  }
  const connection = await transact(stage.db, (tx) => createEntraConnection(tx, asked, change()))
  const cloud = asked.cloud as Cloud

  async function arrive(claims: Record<string, unknown> = {}, more: Record<string, string> = {}) {
    const form = { ...entra.formOf(connection, await entra.hint(stage.now(), { cloud, claims }), cloud), ...more }
    const browser = await entra.send(stage.app, connection, form)
    const post = (what: string, body: object = {}) => browser.go(`${browser.path}/${what}`, { method: 'POST', body })
    const region = async () => /data-state="(\w+)"/.exec((await browser.go(browser.path)).text)?.[1]
    const prove = async (companion = all.companion) => {
      const { challenge } = JSON.parse((await post('challenge')).text) as { challenge: string }
      const proof = await companion.prove(challenge, await epochOf(companion.kid))
      return (JSON.parse((await post('proof', { proof })).text) as { state?: string }).state
    }
    const uid = async () =>
      (
        await stage.db
          .selectFrom('signin_sessions')
          .selectAll()
          .where('id', '=', browser.path.slice(8))
          .executeTakeFirstOrThrow()
      ).interaction_uid
    const finish = async () => browser.go(`/signin/entra/${connection.id}/finish/${await uid()}`)
    const receive = (text: string) => entra.receive(stage.app, connection, text, form)
    return { ...browser, form, post, region, prove, finish, receive }
  }
  return { ...all, connection, ofPayroll: all.connection, arrive }
}

const logs = () => stage.db.selectFrom('auth_logs').select(['result', 'person_id', 'device_id']).orderBy('id').execute()
const setMode = (mode: 'enforce' | 'observe' | 'disabled') =>
  stage.db.updateTable('signin_connections').set({ mode }).execute()

for (const cloud of clouds) {
  test(`a person of the ${cloud} cloud signs in with a hint that has expired, and Entra takes the answer`, async () => {
    const all = await start({ entra: { cloud } })
    const visit = await all.arrive()
    assert.equal(visit.reply.status, 303, visit.reply.text)
    assert.match(String(visit.reply.headers['set-cookie']), /^__Host-muster-si-\w{8}=.*SameSite=Lax; Secure$/)
    assert.equal(await visit.region(), 'looking')
    assert.equal(await visit.prove(), 'passed')
    const { text, headers } = await visit.finish()
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*script-src 'sha256-/)
    assert.doesNotMatch(String(headers['content-security-policy']), /form-action/)
    const { claims } = await visit.receive(text)
    const { iss, aud, sub, nonce: _nonce, iat, exp, ...said } = claims ?? {}
    assert.deepEqual(
      [iss, aud, sub],
      [`https://muster.test/signin/entra/${all.connection.id}`, all.connection.clientId, 'ana-in-this-app'],
    )
    assert.equal(Number(exp) - Number(iat), 300)
    assert.deepEqual(said, { acr: 'possessionorinherence', amr: ['swk'] })
    assert.deepEqual(await logs(), [{ result: 'Success', person_id: all.person.id, device_id: all.device.id }])
    const bound = await stage.db.selectFrom('person_identities').select(['issuer', 'subject', 'person_id']).execute()
    assert.deepEqual(bound, [
      {
        issuer: `https://${new URL(visit.form['redirect_uri'] ?? '').host}/${tenantId}/v2.0`,
        subject: anaOid,
        person_id: all.person.id,
      },
    ])
  })
}

test('observing without an agent is answered with access_denied, and the page says what the person can do', async () => {
  const all = await start()
  await setMode('observe')
  const visit = await all.arrive()
  await visit.post('undetected', { reason: 'agent_not_found' })
  const { text: page } = await visit.go(visit.path)
  assert.match(page, /data-state="no_answer"[\s\S]*Not installed yet[\s\S]*<button class="btn">Sign in another way</)
  const { text } = await visit.finish()
  assert.deepEqual(await visit.receive(text), { error: 'access_denied' })
  assert.deepEqual(await logs(), [{ result: 'Fail', person_id: all.person.id, device_id: null }])
  assert.equal(await stage.db.selectFrom('auth_log_open_sessions').selectAll().executeTakeFirst(), undefined)
})

test('observing lets a blocked device in that proved itself, and nobody with the device of someone else', async () => {
  const all = await start({ authState: 'blocked' })
  await setMode('observe')
  const visit = await all.arrive()
  assert.equal(await visit.prove(), 'observed')
  const { claims } = await visit.receive((await visit.finish()).text)
  assert.deepEqual([claims?.['acr'], claims?.['amr']], ['possessionorinherence', ['swk']])
  const ben = await make.person(all.organizationId, { email: 'ben@example.com' })
  const other = await all.arrive({ oid: anaOid.replace('0a', '0b'), preferred_username: 'ben@example.com' })
  assert.equal(await other.prove(), 'not_your_device')
  assert.equal((await other.finish()).status, 303)
  assert.deepEqual(
    (await logs()).map(({ result, person_id: id }) => [result, id]),
    [
      ['Success', all.person.id],
      ['Fail', ben.id],
    ],
  )
})

test('enforcing leads back to the page until a device has proved itself; a blocked person fixes it and passes', async () => {
  const all = await start({ authState: 'blocked' })
  const visit = await all.arrive()
  assert.equal((await visit.finish()).headers['location'], visit.path)
  assert.equal(await visit.prove(), 'blocked')
  assert.equal((await visit.finish()).headers['location'], visit.path)
  await stage.db.updateTable('devices').set({ auth_state: 'good' }).execute()
  assert.equal(await visit.region(), 'passed')
  const [first, second] = [await visit.finish(), await visit.finish()]
  assert.ok((await visit.receive(first.text)).claims)
  assert.deepEqual(await visit.receive(second.text), await visit.receive(first.text))
  const sent = await stage.db
    .selectFrom('auth_log_events')
    .select('type')
    .where('type', '=', 'sign_in_success')
    .execute()
  assert.equal(sent.length, 1)
})

test('who cancels while blocked, and whose connection is turned off meanwhile, is answered with access_denied', async () => {
  const all = await start({ authState: 'blocked' })
  const visit = await all.arrive()
  await visit.prove()
  const cancelled = await visit.post('cancel')
  const { text } = await visit.go(String(cancelled.headers['location']))
  assert.deepEqual(await visit.receive(text), { error: 'access_denied' })
  await stage.db.updateTable('devices').set({ auth_state: 'good' }).execute()
  const other = await all.arrive()
  assert.equal(await other.prove(), 'passed')
  await setMode('disabled')
  assert.deepEqual(await other.receive((await other.finish()).text), { error: 'access_denied' })
  const refused = await all.arrive()
  assert.match(refused.reply.text, /Muster is turned off here/)
  assert.deepEqual(await refused.receive(refused.reply.text), { error: 'access_denied' })
  assert.deepEqual(new Set((await logs()).map(({ result }) => result)), new Set(['Fail']))
})

test('a person who is new to Muster registers their device on the page, once it is known who they are', async () => {
  const all = await start({ isRegistered: false })
  const visit = await all.arrive()
  assert.equal(await visit.prove(), 'register')
  assert.equal((await visit.finish()).status, 303)
  await visit.post('register')
  assert.ok((await visit.receive((await visit.finish()).text)).claims)
})

test('after five minutes nothing positive is said any more', async () => {
  const all = await start()
  const visit = await all.arrive()
  await visit.prove()
  stage.setNow(plusMs(stage.now(), 5 * minuteMs))
  assert.equal((await visit.finish()).headers['location'], visit.path)
  assert.deepEqual(
    (await logs()).map(({ result }) => result),
    ['Fail'],
  )
})

test('another browser than the one that the form came from gets no answer', async () => {
  const all = await start()
  const [visit, other] = [await all.arrive(), await all.arrive({ sub: 'another' })]
  await visit.prove()
  const { headers } = await visit.post('cancel', {})
  const path = String(headers['location'])
  assert.equal((await other.go(path)).status, 403)
  assert.equal((await other.go(path.replace(`/${all.connection.id}/`, '/999/'))).status, 403)
})

test('state is given back to the letter, and is never markup', async () => {
  const all = await start()
  const state = `"><script>alert(1)</script>' onfocus=x &amp;&#39; \u202e\u200b%22`
  const visit = await all.arrive({}, { state })
  await visit.prove()
  const { text } = await visit.finish()
  assert.equal(readForm(text).fields['state'], state)
  assert.ok((await visit.receive(text)).claims)
  assert.equal([...text.matchAll(/<script/g)].length, 1)
  assert.ok(!text.includes('alert(1)</script>'))
})

test('keys are rotated: the earlier key signs until the next one takes over, and both are published', async () => {
  const all = await start()
  const headerOf = (text: string) =>
    JSON.parse(Buffer.from((readForm(text).fields['id_token'] ?? '').split('.')[0] ?? '', 'base64url').toString())
  const signIn = async () => {
    const visit = await all.arrive()
    await visit.prove()
    const { text } = await visit.finish()
    assert.ok((await visit.receive(text)).claims)
    return headerOf(text).kid as string
  }
  const first = await signIn()
  const ring = { organizationId: all.organizationId, purpose: 'entra' } as const
  const next = await rotateSigningKey(
    stage.db,
    stage.secrets,
    { ring, isEmergency: false, resign: nothingWaits, record: recordAudit },
    change(),
  )
  stage.setNow(plusMs(stage.now(), 2 * dayMs - minuteMs))
  assert.equal(await signIn(), first)
  stage.setNow(plusMs(stage.now(), minuteMs))
  assert.equal(await signIn(), next.kid)
  const listed = await publishedSet(stage.db, { organizationId: all.organizationId, purpose: 'signals' }, stage.now())
  assert.ok(!listed.some(({ kid }) => [first, next.kid].includes(kid)))
})

test('when an answer cannot be signed, Entra is told that we are out, and nothing is announced', async () => {
  const all = await start()
  const visit = await all.arrive()
  await visit.prove()
  await stage.db.deleteFrom('signing_keys').where('purpose', '=', 'entra').execute()
  await ensureSigningKey(stage.db, stage.secrets, { organizationId: all.organizationId, purpose: 'entra' }, stage.now())
  await stage.db
    .updateTable('signing_keys')
    .set({ sealed_private_key: Buffer.alloc(64) })
    .where('purpose', '=', 'entra')
    .execute()
  // What the process holds it asks for again.
  stage.setNow(plusMs(stage.now(), 10_000))
  assert.deepEqual(await visit.receive((await visit.finish()).text), { error: 'temporarily_unavailable' })
  assert.deepEqual(
    (await logs()).map(({ result }) => result),
    ['Fail'],
  )
  await stage.db.deleteFrom('signing_keys').where('purpose', '=', 'entra').execute()
})

test('discovery says what Entra needs, with its length, and only of connections of Entra', async () => {
  const { connection, ...all } = await start()
  const get = (path: string) => stage.app.inject({ url: `/signin/entra/${path}`, headers: { host: 'muster.test' } })
  const answer = await get(`${connection.id}/.well-known/openid-configuration`)
  assert.equal(Number(answer.headers['content-length']), answer.rawPayload.length)
  const issuer = `https://muster.test/signin/entra/${connection.id}`
  assert.deepEqual(answer.json(), {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: ['openid'],
    response_types_supported: ['id_token'],
    response_modes_supported: ['form_post'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claim_types_supported: ['normal'],
  })
  for (const other of [all.ofPayroll.id, '999', 'x', '99999999999999999999']) {
    for (const path of ['.well-known/openid-configuration', 'jwks'])
      assert.equal((await get(`${other}/${path}`)).statusCode, 404)
  }
  assert.equal((await get(`${connection.id}/authorize`)).statusCode, 405)
})
