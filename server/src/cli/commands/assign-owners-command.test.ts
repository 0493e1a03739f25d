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

test('a list of owners is shown before it is applied, and applied line by line', async () => {
  const { organizationId } = trial.tenant
  const ana = await make.person(organizationId, { name: 'Ana', email: 'ana@acme.example' })
  const ben = await make.person(organizationId, { name: 'Ben', email: 'ben@acme.example' })
  const free = await make.device(organizationId, { serial: 'FREE' })
  const owned = await make.device(organizationId, { serial: 'OWNED', registered_owner_id: ben.id })
  const csv = 'serial,email\nFREE,ana@acme.example\nOWNED,ana@acme.example\nNONE,ana@acme.example\n'
  const told = [
    'Read devices from serial; owners from email; names in line 1; separated by comma',
    'line 2: serial FREE, email ana@acme.example: to Ana (ana@acme.example)',
    'line 3: serial OWNED, email ana@acme.example: to Ana (ana@acme.example), instead of Ben (ben@acme.example)',
    'line 4: serial NONE, email ana@acme.example: refused. No device has this serial number or hardware UUID.',
  ]
  const owners = async () => {
    const devices = trial.db.selectFrom('devices').select('registered_owner_id').orderBy('id')
    return (await devices.execute()).map((device) => device.registered_owner_id)
  }
  const shown = await run(deviceCommands.assignOwners, { csv, dryRun: true })
  const summary = 'Would register 2 of 3 devices; 1 line is refused'
  assert.deepEqual([shown.exit, shown.out.trimEnd().split('\n')], [0, [...told, summary]])
  assert.deepEqual(await owners(), [null, ben.id])
  const made = await run(deviceCommands.assignOwners, { csv })
  const result = 'Registered 2 of 3 devices; 1 line was refused'
  assert.deepEqual([made.exit, made.out.trimEnd().split('\n')], [1, [...told, result]])
  assert.deepEqual(await owners(), [ana.id, ana.id])
  const again = await run(deviceCommands.assignOwners, { csv: 'FREE;ana@acme.example' })
  assert.deepEqual(again.out.trimEnd().split('\n'), [
    'Read two columns: devices and owners; no line of names; separated by semicolon',
    'line 1: FREE, ana@acme.example: registered to Ana (ana@acme.example) already',
    'Registered 0 of 1 device; 0 lines were refused',
  ])
  assert.deepEqual([free.id < owned.id, again.exit], [true, 0])
})
