import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { companionClient, companionMachine } from '../../../test/support/companion-client.ts'
import { companionMachines } from '../../../test/support/companion-machine.ts'
import { makeIn } from '../../../test/support/make.ts'

const trial = testAgents({ isTrial: true })
const deployed = testAgents()

beforeEach(() => Promise.all([trial.reset(), deployed.reset()]))

const machine = { uuid: companionMachine.hardware_uuid, serial: companionMachine.hardware_serial }

/** The bundled agent: an osquery node and a companion in one process. */
async function bundled(agents: typeof trial, hardware: typeof machine | object = machine) {
  const { id: organizationId } = await makeIn(agents.database).organization()
  const secret = await agents.enrollmentSecret(organizationId)
  const client = agents.client()
  const verdict = await client.enroll(secret, hardware)
  const nodeKey = verdict.accepted ? verdict.body['node_key'] : assert.fail(verdict.text)
  const companion = await companionClient(agents.server.origin)
  const enroll = (key: unknown) => companion.enroll(secret, { is_bundled: true, node_key: key })
  return { secret, nodeKey, companion, enroll, client }
}

test('in a trial a bundled companion is linked by the node key of its own process, and not by a made-up one', async () => {
  const { nodeKey, enroll } = await bundled(trial)
  assert.equal((await enroll('made up')).body.status, 'linking')
  trial.pass(1)
  assert.equal((await enroll(nodeKey)).body.status, 'linked')
})

test('in a trial it proves its link by the node key each day, and by no other', async () => {
  const { secret, nodeKey, companion, enroll } = await bundled(trial)
  await enroll(nodeKey)
  trial.pass(86_400)
  assert.notEqual((await companion.checkIn()).body.link, null)
  const other = { uuid: '4C4C4544-0042-3510-8056-000000000001', serial: 'PF000001' }
  const foreign = await trial.client().enroll(secret, other)
  const foreignKey = foreign.accepted ? foreign.body['node_key'] : undefined
  for (const key of [foreignKey, 'made up']) {
    assert.notEqual((await companion.checkIn({ node_key: key })).body.link, null)
  }
  const { status, link } = (await companion.checkIn({ node_key: nodeKey })).body
  assert.deepEqual([status, link], ['linked', null])
})

test('in a trial a companion that was put back to an earlier state is linked again by its node key', async () => {
  const { nodeKey, companion, enroll } = await bundled(trial)
  await enroll(nodeKey)
  const before = companion.epoch()
  for (let times = 0; times < 2; times += 1) {
    for (let contacts = 0; contacts < 3; contacts += 1) {
      trial.pass(300)
      assert.equal((await companion.checkIn()).body.status, 'linked')
    }
    companion.holdEpoch(before)
    assert.deepEqual((await companion.checkIn()).body.link, { by: 'node_key' })
    assert.equal((await companion.checkIn({ node_key: 'made up' })).body.status, 'linking')
    const { status, link } = (await companion.checkIn({ node_key: nodeKey })).body
    assert.deepEqual([status, link], ['linked', null])
    trial.pass(300)
    assert.equal((await companion.checkIn()).body.status, 'linked')
  }
})

test('in any other deployment a node key links nothing, whatever the agent says', async () => {
  const { nodeKey, companion, enroll } = await bundled(deployed)
  const { body } = await enroll(nodeKey)
  assert.equal(body.status, 'linking')
  assert.notEqual(body.link, null, 'its file is asked for')
  assert.equal((await companion.checkIn({ node_key: nodeKey })).body.status, 'linking')
})

test('there the node of the node key is asked for the file, also on a machine without a hardware identity', async () => {
  const { companion, nodeKey, secret, client } = await bundled(deployed, {})
  const nameless = { hardware_uuid: '', hardware_serial: '' }
  const { body } = await companion.enroll(secret, { is_bundled: true, node_key: nodeKey, ...nameless })
  assert.equal(body.link?.by, 'file')
  await companionMachines(deployed).reportLink(client, body.link?.name)
  assert.equal((await companion.checkIn()).body.status, 'linked')
  const key = await deployed.database.db.selectFrom('companion_keys').select('linked_by').executeTakeFirstOrThrow()
  assert.equal(key.linked_by, 'file')
})

test('a trial that becomes another deployment asks for the files of its companions', async () => {
  const { nodeKey, companion, enroll } = await bundled(trial)
  await enroll(nodeKey)
  const { origin } = await trial.another(trial.database.db, undefined, false)
  const next = await companionClient(origin, companion.keys)
  const { status, link } = (await next.checkIn({ node_key: nodeKey })).body
  assert.equal(status, 'linking')
  assert.notEqual(link, null)
})
