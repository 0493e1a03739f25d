import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { answerOfProof } from '../support/answer-of-proof.ts'
import { openHookReceiver } from '../support/hook-receivers.ts'
import { type MusterPlace, until } from '../support/muster-process.ts'
import { authorityOfReceivers } from '../support/receivers.ts'
import { extent } from '../support/soak.ts'
import { openSignInPlace } from './sign-in-place.ts'

const rounds = extent(1, 10)

type Parts = { place: MusterPlace; args: string[]; baseUrl: string; keyOf: () => Promise<string> }

/** What processes need to reach the receivers of the tests. */
export function trustingReceivers(t: TestContext): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-authority-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const authority = join(folder, 'authority.pem')
  writeFileSync(authority, authorityOfReceivers)
  return { NODE_EXTRA_CA_CERTS: authority, MUSTER_ALLOW_PRIVATE_RECEIVERS: 'true' }
}

/** Signs people in while the server is killed at each step: each is answered once, and announced once. */
export async function outliveKills(t: TestContext, { place, args, baseUrl, keyOf }: Parts): Promise<void> {
  let server = await place.start(args)
  const key = await keyOf()
  const receiver = await openHookReceiver()
  t.after(() => receiver.close())
  const events = ['auth_logs.success', 'auth_logs.failure']
  const hook = await server.ask('POST', '/webhook_endpoints', { key, body: { url: receiver.localUrl, events } })
  assert.equal(hook.status, 200, JSON.stringify(hook.body))
  const all = await openSignInPlace(t, { place, server, baseUrl })
  async function killed() {
    await server.kill()
    server = await place.start(args)
    all.use(server)
  }
  let passed = 0

  for (let round = 0; round < rounds; round += 1) {
    const { begin } = await all.arrive()
    const visit = await begin()
    const challenge = (await visit.challenge()) ?? ''
    await killed()
    // The challenge of before is still good, and the page continues where it was.
    assert.equal((await visit.region()).state, 'looking')
    const proved = await visit.post('proof', { proof: await visit.proofOf(challenge) })
    assert.deepEqual(answerOfProof(proved.text), { state: 'passed' })
    await killed()
    assert.equal((await visit.region()).state, 'passed')
    const path = await visit.finishPath()
    const { away } = await visit.browser.follow(path)
    await killed()
    assert.equal((await all.tokenOf(away))['acr'], 'urn:muster:device:compliant')
    assert.notEqual((await all.redeem(away)).status, 200)
    passed += 1
  }

  // Killed while the answer is under way, at no step in particular: there is one answer in any case.
  for (let round = 0; round < rounds; round += 1) {
    const visit = await (await all.arrive()).begin()
    // Four answers within two minutes are a loop, which the person may wave on.
    if ((await visit.prove()).state === 'keeps_asking') await visit.post('once-more')
    assert.equal((await visit.region()).state, 'passed')
    const path = await visit.finishPath()
    const answering = visit.browser.follow(path).catch(() => undefined)
    await pause(Math.random() * 40)
    await killed()
    const { away, reply } = (await answering) ?? (await visit.browser.follow(path))
    // The kill may have taken away an answer that was committed.
    assert.match(away ?? reply.text, /code=|got its answer/)
    passed += 1
  }

  const log = async () => {
    const { body } = await server.ask('GET', '/auth_logs?per_page=100', { key })
    return body.data as { id: string; result: string }[]
  }
  const successes = (await log()).filter(({ result }) => result === 'Success')
  assert.equal(successes.length, passed)
  const messages = () => new Set(receiver.received.map(({ id }) => id))
  await until(60_000, async () => messages().size >= passed)
  const { body } = await server.ask('GET', `/webhook_endpoints/${hook.body.id}/deliveries?per_page=100`, { key })
  assert.equal(body.data.length, passed, 'a message for each sign-in')
  assert.deepEqual(messages(), new Set(body.data.map(({ message_id: id }: { message_id: string }) => id)))
  assert.deepEqual([...new Set(receiver.received.map(({ event }) => event))], ['auth_logs.success'])
}
