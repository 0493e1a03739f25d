import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { companionClient } from '../../../test/support/companion-client.ts'
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
