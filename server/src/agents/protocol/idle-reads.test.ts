import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { makeIn } from '../../../test/support/make.ts'
import { type BodyReceiver, bodyReceiver } from './bodies/receive-bodies.ts'
import { idleReader } from './idle-reads.ts'

const agents = testAgents()
const make = makeIn(agents.database)
let bodies: BodyReceiver | undefined

beforeEach(() => agents.reset())
after(() => bodies?.stop())

const withHeader = (authorization?: string) =>
  ({ headers: authorization === undefined ? {} : { authorization } }) as IncomingMessage
const sender = { ip: '192.0.2.1', raw: { socket: {} } as IncomingMessage }
const idle = '{"queries":{},"node_invalid":false}'

/** A device that has read once, and what is answered to it before its route. */
async function idleDevice() {
  const { id: organizationId } = await make.organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  await client.read()
  bodies ??= bodyReceiver(agents.context)
  const reader = idleReader(agents.context, bodies)
  const ofBody = (text: string) => reader.ofBody(Buffer.from(text), sender)
  return { reader, ofBody, nodeKey: client.nodeKey ?? '', organizationId, deviceId }
}

test('a known device with nothing to do is answered by its header, or else by its body, and has been seen', async () => {
  const { reader, ofBody, nodeKey, organizationId, deviceId } = await idleDevice()
  for (const ask of [
    () => reader.ofHeaders(withHeader(`NodeKey ${nodeKey}`)),
    () => ofBody(JSON.stringify({ node_key: nodeKey })),
  ]) {
    const now = agents.pass(1)
    assert.equal(ask(), idle)
    assert.equal(agents.context.presence.unwritten(organizationId, deviceId), now)
  }
  assert.equal(reader.ofHeaders(withHeader()), 'needs body')
})

test('the node key is the one that a reader of JSON finds', async () => {
  const { ofBody, nodeKey } = await idleDevice()
  const escaped = `\\u00${(nodeKey.codePointAt(0) ?? 0).toString(16)}${nodeKey.slice(1)}`
  for (const text of [
    ` { "node_key" : "${nodeKey}" } `,
    `{"node_key":"${escaped}"}`,
    `{"\\u006eode_key":"${nodeKey}"}`,
    `{"node_key":"other","node_key":"${nodeKey}"}`,
  ])
    assert.equal(ofBody(text), idle, text)
  for (const text of [
    '',
    'null',
    `["${nodeKey}"]`,
    `{"a":{"node_key":"${nodeKey}"}}`,
    `{"a":"\\"node_key\\":\\"${nodeKey}\\""}`,
    `{"node_key":"${nodeKey}","node_key":"other"}`,
    `{"node_key":["${nodeKey}"]}`,
    `{"node_key":"${nodeKey}"`,
    `{"node_key":"${nodeKey}","a":"${'x'.repeat(1024)}"}`,
  ])
    assert.equal(ofBody(text), undefined, text)
})

test('a device that is unknown, changed or due is left to the route', async () => {
  const { reader, ofBody, nodeKey, organizationId, deviceId } = await idleDevice()
  const asks = (key: string) => [reader.ofHeaders(withHeader(`NodeKey ${key}`)), ofBody(`{"node_key":"${key}"}`)]
  assert.deepEqual(asks('unknown'), [undefined, undefined])
  assert.equal(reader.ofHeaders(withHeader(`Bearer ${nodeKey}`)), undefined)
  const device = agents.context.registry.find(nodeKey)
  assert.ok(device)
  device.nextDueAtMs = Date.parse(agents.now())
  assert.deepEqual(asks(nodeKey), [undefined, undefined])
  device.nextDueAtMs += 1
  assert.deepEqual(asks(nodeKey), [idle, idle])
  agents.context.registry.takeNotice(organizationId, deviceId)
  assert.deepEqual(asks(nodeKey), [undefined, undefined])
})
