import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { companionClient } from '../../../test/support/companion-client.ts'
import { type HeldRequest, heldRequest } from '../../../test/support/held-request.ts'
import { makeIn } from '../../../test/support/make.ts'

const agents = testAgents()

test('strangers who send unknown keys are bounded, and keep no companion of their network out', async () => {
  const { id: organizationId } = await makeIn(agents.database).organization()
  const companion = await companionClient(agents.server.origin)
  await companion.enroll(await agents.enrollmentSecret(organizationId))
  await companion.checkIn()
  const stranger = await companionClient(agents.server.origin)
  const body = JSON.stringify({ agent_version: '1' })
  const signature = await stranger.sign('check_in', body)
  const codes = new Set<string | undefined>()
  for (let sent = 0; sent < 1_100; sent += 100) {
    const answers = Array.from({ length: 100 }, () => stranger.post('check_in', body, signature))
    for (const { body: answer } of await Promise.all(answers)) codes.add(answer.error?.code)
  }
  assert.deepEqual([...codes].toSorted(), ['too_many_requests', 'unknown_key'])
  assert.equal((await companion.checkIn()).status, 200)
})

const filler = Buffer.alloc(1024 * 1024, 'x')

test('half bodies of strangers, of keys that enroll and of other laptops stop no companion of their office', async () => {
  const { id: organizationId } = await makeIn(agents.database).organization()
  const secret = await agents.enrollmentSecret(organizationId)
  const companion = await companionClient(agents.server.origin)
  await companion.enroll(secret)
  const held: HeldRequest[] = []
  const hold = async (path: string, headers: Record<string, string | number>, start: Buffer | string) => {
    const request = heldRequest(agents.server.origin, `/api/v1/companion/${path}`, headers)
    held.push(request)
    await request.send(start)
    return request
  }
  try {
    const unsigned = await Promise.all(
      Array.from({ length: 64 }, () => hold('results', { 'content-length': 1_048_576 }, '{')),
    )
    for (const { status } of unsigned) assert.equal(await status, 400, 'what nobody has signed for is not waited for')
    const stranger = await companionClient(agents.server.origin)
    const { nonce } = await stranger.post('enroll', '{}', await stranger.sign('enroll', '{}'))
    const dpop = await stranger.sign('enroll', '{}', { nonce })
    for (let sent = 0; sent < 1_000; sent += 1)
      await hold('enroll', { 'content-length': 16_384, dpop }, filler.subarray(0, 16_000))
    for (let machine = 0; machine < 8; machine += 1) {
      const colleague = await companionClient(agents.server.origin)
      await colleague.enroll(secret, { hardware_uuid: `0000000${machine}-1-1-1-1`, hardware_serial: `OTHER${machine}` })
      const signature = await colleague.sign('results', '{}')
      for (let sent = 0; sent < 20; sent += 1) {
        await hold('results', { 'content-length': 1_048_576, dpop: signature }, filler.subarray(0, 1_048_000))
      }
    }
    assert.equal((await companion.checkIn()).status, 200)
    assert.equal((await companion.results([])).body.error?.code, 'not_linked')
    const laptop = await companionClient(agents.server.origin)
    const serial = { hardware_uuid: '00000099-1-1-1-1', hardware_serial: 'NEW' }
    assert.equal((await laptop.enroll(secret, serial)).status, 200)
  } finally {
    for (const request of held) request.end()
  }
})
