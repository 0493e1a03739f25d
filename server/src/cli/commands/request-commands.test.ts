import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { testDatabase } from '../../../test/support/database.ts'
import { type MadeCheck, makeIn, startOfTests } from '../../../test/support/make.ts'
import { loadConfig } from '../../base/config/load-config.ts'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { plusMs } from '../../base/time.ts'
import type { CommandIo, DataCommand } from '../data-command.ts'
import { describeFailure } from '../describe-failure.ts'
import { checkCommands } from './check-commands.ts'
import { deviceCommands } from './device-commands.ts'
import { requestCommands } from './request-commands.ts'
import { simulateRequestsCommand } from './simulate-requests-command.ts'

const database = testDatabase()
const make = makeIn(database)
const now = plusMs(startOfTests, 3_600_000)

let device: Awaited<ReturnType<typeof make.device>>
let spare: Awaited<ReturnType<typeof make.device>>
let check: MadeCheck
let issue: Awaited<ReturnType<typeof make.issue>>
beforeEach(async () => {
  await database.ready
  await database.reset()
  const { id } = await make.organization()
  const ada = await make.person(id, { email: 'ada@acme.example', has_used_first_trust: true })
  await make.person(id, { email: 'bob@acme.example' })
  device = await make.device(id, { name: 'Mac', registered_owner_id: ada.id })
  spare = await make.device(id, { name: 'Spare' })
  check = await make.check(id, { slug: 'disk', configuration: { remediation_strategy: 'block_immediately' } })
  issue = await make.issue({ device, check })
})

/** What the command prints, or why it refuses and with which exit code. */
async function run<Args extends TSchema>(command: DataCommand<Args>, args: Static<Args>): Promise<string[]> {
  assert.ok(Check(command.args, args), 'the arguments fit')
  const lines: string[] = []
  const line = async (text: string) => {
    lines.push(text)
  }
  const { signal } = new AbortController()
  const io: CommandIo = { write: line, line, error: line, input: (async function* () {})(), signal }
  const { connection } = database
  try {
    const context = { connection, secrets: openSecrets(Buffer.alloc(32)), config: loadConfig({}), now }
    assert.equal((await command.run(context, args, io)) ?? 0, 0)
    return lines
  } catch (error) {
    const { exitCode, text } = describeFailure(error)
    return [...lines, `${exitCode}: ${text}`]
  }
}

const raiseExemption = () =>
  run(requestCommands.raiseExemption, {
    device: device.id,
    personEmail: 'ada@acme.example',
    issues: [issue.id],
    message: 'It is a build server.',
  })
const raiseRegistration = (personEmail: string) =>
  run(requestCommands.raiseRegistration, { device: spare.id, personEmail, message: 'Mine.' })
const stateNow = async () =>
  (await database.db.selectFrom('devices').select('auth_state').where('id', '=', device.id).executeTakeFirstOrThrow())
    .auth_state

test('requests are raised, listed, decided, reopened and withdrawn on the command line', async () => {
  const [exemption = ''] = await raiseExemption()
  const [registration = ''] = await raiseRegistration('ada@acme.example')
  const [head, ...rows] = await run(requestCommands.list, { limit: 10 })
  assert.match(head ?? '', /^KIND +ID +STATE +ASKED +PERSON +DEVICE +MESSAGE$/)
  assert.deepEqual(
    rows.map((row) => row.split(/ {2,}/)),
    [
      ['exemption of 1', exemption, 'open', now, 'ada@acme.example', `${device.id} Mac`, 'It is a build server.'],
      ['registration', registration, 'pending', now, 'ada@acme.example', `${spare.id} Spare`, 'Mine.'],
    ],
  )
  const ofExemption = { kind: 'exemption', id: exemption } as const
  const ofRegistration = { kind: 'registration', id: registration } as const
  assert.deepEqual(await run(requestCommands.approve, ofExemption), [
    '2: The request is not valid.\n  internal-message must not be blank',
  ])
  assert.deepEqual(await run(requestCommands.approve, { ...ofExemption, note: 'Fine.' }), [
    `Approved exemption request ${exemption}`,
  ])
  assert.equal(await stateNow(), 'good')
  assert.deepEqual(await run(requestCommands.deny, { ...ofRegistration, explanation: 'No.' }), [
    `Denied registration request ${registration}`,
  ])
  assert.deepEqual(await run(requestCommands.deny, { ...ofRegistration, explanation: 'No.' }), [
    '1: The request has already been decided.',
  ])
  assert.equal((await run(requestCommands.list, { limit: 10 })).length, 1)
  assert.equal((await run(requestCommands.list, { limit: 10, all: true })).length, 3)
  await run(requestCommands.reopen, ofExemption)
  assert.equal(await stateNow(), 'blocked')
  assert.deepEqual(await run(requestCommands.withdraw, { id: exemption }), [`Withdrew exemption request ${exemption}`])
  await run(requestCommands.reopen, ofRegistration)
  assert.deepEqual(await run(requestCommands.approve, ofRegistration), [
    `Approved registration request ${registration}`,
  ])
  assert.deepEqual(await run(requestCommands.withdraw, { id: '900' }), [
    '5: There is no exemption request 900: muster requests list --all',
  ])
})

test('a first device is registered at once, and the terminal says so', async () => {
  assert.deepEqual(await raiseRegistration('bob@acme.example'), [
    `Registered device ${spare.id} to bob@acme.example at once: their first device`,
  ])
})

test('checks are exempted, brought back, snoozed and put off on the command line, by identifier or slug', async () => {
  const ofCheck = { id: device.id, check: 'disk' }
  const until = plusMs(now, 60_000)
  assert.deepEqual(await run(deviceCommands.exemptCheck, { ...ofCheck, reason: 'A build server.', until }), [
    `Exempted device ${device.id} from disk until ${until}`,
  ])
  assert.equal(await stateNow(), 'good')
  assert.deepEqual(await run(deviceCommands.endExemption, { id: device.id, check: check.id }), [
    `Device ${device.id} is in the scope of disk`,
  ])
  assert.equal(await stateNow(), 'blocked')
  assert.deepEqual(await run(deviceCommands.snooze, ofCheck), [
    `Snoozed disk on device ${device.id} until ${plusMs(now, 86_400_000)}`,
  ])
  assert.equal(await stateNow(), 'will_block')
  assert.deepEqual(await run(checkCommands.setBeginsBlockingOn, { check: 'disk', at: '2026-12-01T01:00:00+01:00' }), [
    'disk blocks nobody before 2026-12-01T00:00:00.000Z',
  ])
  assert.deepEqual(await run(checkCommands.setBeginsBlockingOn, { check: 'disk', at: null }), [
    'disk has no day on which it begins to block',
  ])
  assert.deepEqual(await run(deviceCommands.snooze, { ...ofCheck, check: 'lock' }), [
    '5: There is no check lock: muster checks list shows them',
  ])
})

test('simulated requests say that they are, until there is nothing left to ask for', async () => {
  const lines = await run(simulateRequestsCommand, { count: 3, seed: 1 })
  assert.match(
    lines[0] ?? '',
    /^Simulating 3 requests in Organization \d+: nobody made them, and their messages say so\.$/,
  )
  assert.match(lines[1] ?? '', /^exemption request \d+: 1 of device \d+, in the name of its owner$/)
  assert.match(
    lines[2] ?? '',
    /^registration request \d+: device \d+, in the name of simulated-person-\d+@muster.invalid$/,
  )
  assert.equal(lines.at(-1), 'Simulated 3 requests: muster requests list shows them')
  const messages = [
    ...(await database.db.selectFrom('exemption_requests').select('requester_message').execute()),
    ...(await database.db.selectFrom('registration_requests').select('requester_message').execute()),
  ]
  assert.equal(messages.length, 3)
  for (const { requester_message } of messages) assert.match(requester_message, /^Simulated: /)
  const rest = await run(simulateRequestsCommand, { count: 1_000, seed: 2 })
  assert.match(rest.at(-2) ?? '', /^There is nothing left to ask for/)
})
