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
