import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { deviceCommands } from './device-commands.ts'

const trial = testApp()
const make = makeIn(trial)
const run = commandsOn(trial, startOfTests)

beforeEach(() => trial.reset())

test('a merge is shown before it is made, and made once', async () => {
  const { organizationId } = trial.tenant
  const owner = await make.person(organizationId, { name: 'Ada Ferreira' })
  const kept = await make.device(organizationId, { name: 'kept', enrolled_at: startOfTests })
  const other = await make.device(organizationId, {
    ...{ name: 'other', enrolled_at: startOfTests, registered_owner_id: owner.id, note: 'In the lab' },
  })
  const asked = { id: kept.id, other: other.id }
  const shown = await run(deviceCommands.merge, { ...asked, dryRun: true })
  assert.deepEqual(shown.out.trimEnd().split('\n'), [
    `Stays: device ${kept.id} "kept", owner nobody`,
    `Is deleted: device ${other.id} "other", owner Ada Ferreira, 0 open issues`,
    `Agent that continues: that of device ${other.id}`,
    'Gets the owner Ada Ferreira',
    'Gets the note',
    'Both are reporting and share no serial or hardware UUID: add --one-machine to merge them',
  ])
  await assert.rejects(run(deviceCommands.merge, asked), { code: 'invalid' })
  const made = await run(deviceCommands.merge, { ...asked, oneMachine: true })
  assert.equal(made.out, `Merged device ${other.id} into device ${kept.id}; ${other.id} is deleted\n`)
  await assert.rejects(run(deviceCommands.merge, asked), { code: 'invalid' })
})
