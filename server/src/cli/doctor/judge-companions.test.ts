import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { makeCompanion } from '../../../test/support/make-companion.ts'
import { surveyCompanions } from '../../agents/companion-keys/survey-companions.ts'
import { describeFinding } from './finding.ts'
import { judgeCompanions } from './judge-companions.ts'

const database = testDatabase()
const make = makeIn(database)
const now = '2026-11-20T10:00:00.000Z'

const judged = async () => judgeCompanions(await surveyCompanions(database.db, now), ['Linux']).map(describeFinding)

test('doctor counts the companions of all organizations, and names devices whose keys were seen twice', async () => {
  await database.ready
  await database.reset()
  assert.deepEqual(await judged(), ['✓ companions: no computers yet'])
  const [one, other] = [await make.organization(), await make.organization()]
  const devices = [await make.device(one.id), await make.device(other.id)]
  for (const device of devices) await makeCompanion(database.db, device, { kid: `key ${device.id}` })
  assert.deepEqual(await judged(), ['✓ companions: linked on all computers (2)'])

  const stranded = { organization_id: one.id, id: devices[0]?.id ?? '' }
  for (const kid of ['stranded', 'alone']) {
    await makeCompanion(database.db, stranded, { kid, status: 'linking', device_id: null, linked_at: null })
  }
  assert.deepEqual(await judged(), [
    '✓ companions: linked on all computers (2); 2 more wait on machines that osquery has not enrolled',
  ])
  await database.db.deleteFrom('companion_keys').where('kid', '=', 'alone').execute()

  for (let hour = 1; hour <= 4; hour += 1) {
    const device = await make.device(one.id, { name: `twice ${hour}` })
    const seen_twice_at = `2026-11-20T0${hour}:00:00.000Z`
    await makeCompanion(database.db, device, { kid: `twice ${hour}`, status: 'linking', seen_twice_at })
  }
  const longAgo = await make.device(other.id, { name: 'long ago' })
  await makeCompanion(database.db, longAgo, { kid: 'long ago', seen_twice_at: '2026-11-13T10:00:00.000Z' })
  await make.device(other.id)
  const [counted, ...warnings] = await judged()
  assert.equal(
    counted,
    '✓ companions: linked on 3 of 8 computers, 4 waiting for their link, 1 without one; 1 more waits on machines that osquery has not enrolled; this server makes no companion for macOS (1)',
  )
  assert.deepEqual(
    warnings.map((text) => /^! companions: the key of "(.*?)" \(\d+, .*--new-key/.exec(text)?.[1] ?? text),
    ['twice 4', 'twice 3', 'twice 2', '! companions: and 1 more seen twice'],
  )
  await make.device(one.id, { device_type: 'Linux' })
  await make.device(other.id, { device_type: 'Windows' })
  assert.match(
    (await judged())[0] ?? '',
    /, 3 without one; .*; this server makes no companion for macOS \(1\), Windows \(1\)$/,
  )
})

test('doctor names devices whose companions find all their ports taken, until they are gone or listen', async () => {
  await database.ready
  await database.reset()
  const { id: organization } = await make.organization({ name: 'Northwind' })
  const taken_ports = [15_861, 17_443]
  const add = async (name: string, companion: Partial<Parameters<typeof makeCompanion>[2]>, device = {}) => {
    const made = await make.device(organization, { name, ...device })
    await makeCompanion(database.db, made, { kid: name, port: null, taken_ports, last_contact_at: now, ...companion })
    return made
  }
  await add('listens', { port: 19_267 })
  await add('has not said', { taken_ports: [] })
  await add('waits for its link', { status: 'linking' })
  await add('silent for a week', { last_contact_at: '2026-11-13T10:00:00.000Z' })
  await add('being deleted', {}, { deleted_at: now })
  const other = await add('listens by its linked one', { port: 19_267 })
  await makeCompanion(database.db, other, { kid: 'newer', status: 'linking', taken_ports, last_contact_at: now })
  assert.deepEqual((await judged()).slice(1), [])

  const shut = await add('shut\n1', { last_contact_at: '2026-11-20T09:01:00.000Z' })
  const warned = `! companions: no sign-in proves "shut\ufffd1" (${shut.id}, Northwind): other programs hold all ports of its companion (15861, 17443). End them or move them: it listens again within a minute by itself`
  assert.deepEqual((await judged()).slice(1), [warned])

  for (const minute of [2, 3, 4, 5]) {
    await add(`shut ${minute}`, { last_contact_at: `2026-11-20T09:0${minute}:00.000Z` })
  }
  assert.deepEqual(
    (await judged()).slice(1).map((text) => /^! companions: no sign-in proves "(.*?)"/.exec(text)?.[1] ?? text),
    ['shut 5', 'shut 4', 'shut 3', '! companions: and 2 more without a port'],
  )
})
