import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { lackOfBrowser as skip } from './browser.ts'
import { goBackFromError } from './go-back-from-error.ts'
import { signInStage, untilInApp } from './sign-in-stage.ts'

const { stage, setUp, startAgent, stopAgents, agentPorts } = signInStage()

const press = (page: Page) => page.getByRole('button', { name: 'Use the other way' }).click()
const portsOf = (asked: readonly string[]) => asked.map((url) => Number(new URL(url).port))

test('the other way tries one port after the other, and says which did not answer', { skip }, async () => {
  const { page, key, arrive, asked } = await setUp({ permission: 'denied' })
  await startAgent(key, { from: 2 })
  await arrive()
  await press(page)
  await goBackFromError(page)
  await page.getByText('Details for IT').click()
  const details = () => page.locator('[data-details]').textContent()
  assert.ok((await details())?.includes(`Other way    no answer at ${agentPorts[0]}\n`))
  await press(page)
  await goBackFromError(page)
  assert.ok((await details())?.includes(`no answer at ${agentPorts[0]}, ${agentPorts[1]}\n`))
  await press(page)
  await untilInApp(page)
  assert.deepEqual(portsOf(asked), agentPorts)
})

test('a browser that knows its agent goes there first, also when the agent has moved', { skip }, async () => {
  const { page, key, arrive, asked } = await setUp({ permission: 'denied' })
  const moveTo = async (from: number) => {
    await stopAgents()
    await startAgent(key, { from })
    await stage.db
      .updateTable('companion_keys')
      .set({ port: agentPorts[from] ?? 0, last_contact_at: stage.now() })
      .execute()
  }
  await moveTo(1)
  await arrive()
  await press(page)
  await goBackFromError(page)
  await press(page)
  await untilInApp(page)
  assert.deepEqual(portsOf(asked.splice(0)), [agentPorts[0], agentPorts[1]])
  await moveTo(2)
  await arrive()
  await untilInApp(page)
  assert.deepEqual(portsOf(asked.splice(0)), [agentPorts[2]], 'by itself, as the agent was heard of just now')
  await stage.db.updateTable('companion_keys').set({ last_contact_at: '2026-01-01T00:00:00.000Z' }).execute()
  await stage.db.updateTable('device_presence').set({ last_seen_at: '2026-01-01T00:00:00.000Z' }).execute()
  await arrive()
  await press(page)
  await untilInApp(page)
  assert.deepEqual(portsOf(asked), [agentPorts[2]])
})

test('a port that takes the tab’s connection and says nothing is given up', { skip }, async () => {
  const { page, key, arrive } = await setUp({ permission: 'denied' })
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(agentPorts[0], '127.0.0.1', resolve))
  try {
    await startAgent(key)
    await arrive()
    await press(page)
    await page.getByText('Muster didn’t answer that way either.').waitFor()
    await press(page)
    await untilInApp(page)
  } finally {
    silent.close()
  }
})
