import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { TSchema } from 'typebox'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import type { DataCommand } from '../data-command.ts'
import { checkCommands } from './check-commands.ts'
import { deviceCommands } from './device-commands.ts'
import { groupCommands } from './group-commands.ts'
import { issueCommands } from './issue-commands.ts'
import { peopleCommands } from './people-commands.ts'
import { requestCommands } from './request-commands.ts'
import { signInCommands } from './sign-in-commands.ts'

const trial = testApp()
const make = makeIn(trial)
const run = commandsOn(trial, '2026-11-20T10:00:00.000Z')

beforeEach(() => trial.reset())

const cellsOf = ({ out }: { out: string }) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))

/** One of everything in an organization. */
async function fill(organizationId: string, owner: string) {
  const ana = await make.person(organizationId, { name: owner, email: `${owner}@acme.example` })
  const group = await make.deviceGroup(organizationId, { name: 'Laptops', description: 'Those that travel' })
  const people = await make.personGroup(organizationId, { name: 'Staff', personIds: [ana.id] })
  const mac = await make.device(organizationId, { name: 'Mac', registered_owner_id: ana.id, groupIds: [group.id] })
  const configuration = { remediation_strategy: 'block_immediately' } as const
  const check = await make.check(organizationId, { slug: 'disk', name: 'Disk', configuration })
  const issue = await make.issue({ device: mac, check })
  const log = await make.authLog(organizationId, { person_id: ana.id, person_email: ana.email, device_id: mac.id })
  const exemption = await make.exemptionRequest({ device: mac, person: ana, issues: [issue] })
  const registration = await make.registrationRequest({ device: mac, person: ana })
  return { ana, group, people, mac, check, issue, log, exemption, registration }
}

type Listing = { command: DataCommand<TSchema>; path: string; args?: object; row: readonly (string | null)[] }

/** Each list, the address of its records, and what of its only row is known. */
function listingsOf({ ana, group, people, mac, check, issue, log, ...made }: Awaited<ReturnType<typeof fill>>) {
  const device = `${mac.id} Mac`
  const { exemption, registration } = made
  const asked = (request: typeof exemption | typeof registration) => [request.requested_at, ana.email, device]
  const ofKind = (kind: string) => ({ kind })
  return [
    { command: deviceCommands.list, path: '/devices', row: [mac.id, 'Mac', 'Mac', 'Blocked', ana.email, '–'] },
    { command: checkCommands.list, path: '/checks', row: [check.id, 'disk', 'Block immediately', '1', 'Disk'] },
    { command: peopleCommands.list, path: '/people', row: [ana.id, ana.email, ana.name, '1', '–'] },
    {
      ...{ command: issueCommands.list, path: '/issues' },
      row: [issue.id, 'disk', device, issue.detected_at, issue.blocks_device_at, '–', issue.title],
    },
    {
      command: signInCommands.list,
      path: '/auth_logs',
      row: [log.id, log.started_at, log.result, ana.email, device, '–'],
    },
    {
      ...{ command: requestCommands.list, path: '/exemption_requests', args: ofKind('exemption') },
      row: ['exemption of 1', exemption.id, 'open', ...asked(exemption), exemption.requester_message],
    },
    {
      ...{ command: requestCommands.list, path: '/registration_requests', args: ofKind('registration') },
      row: ['registration', registration.id, 'pending', ...asked(registration), registration.requester_message],
    },
    {
      ...{ command: groupCommands.list, path: '/device_groups', args: ofKind('device') },
      row: ['device', group.id, 'Laptops', '1', 'Those that travel'],
    },
    {
      ...{ command: groupCommands.list, path: '/person_groups', args: ofKind('person') },
      row: ['person', people.id, 'Staff', '1', '–'],
    },
  ] as readonly Listing[]
}

test('each list has the rows of the organization that is named, and its JSON is the records of the API', async () => {
  const made = await fill(trial.tenant.organizationId, 'ana')
  const other = await trial.addTenant('Other')
  await fill(other.organizationId, 'dora')
  for (const { command, path, args, row } of listingsOf(made)) {
    const asked = { organization: trial.tenant.organizationId, limit: 100, ...args }
    const shown = await run(command, asked)
    const [, ...rows] = cellsOf(shown)
    assert.deepEqual([rows, shown.err], [[row], ''], path)
    const { out } = await run(command, { ...asked, json: true })
    const records = out.trimEnd().split('\n')
    assert.deepEqual(
      records.map((line) => JSON.parse(line)),
      (await trial.ask('GET', path)).body.data,
      path,
    )
    assert.equal((await run(command, { ...asked, organization: 'Other', json: true })).out.includes('ana@'), false)
  }
})

test('JSON has the links of an organization with an address of its own', async () => {
  const { organizationId } = trial.tenant
  await fill(organizationId, 'ana')
  const own = { base_url: 'https://own.example' }
  await trial.db.updateTable('organizations').set(own).where('id', '=', organizationId).execute()
  const { out } = await run(deviceCommands.list, { limit: 1, json: true })
  assert.match(JSON.parse(out).registered_owner_info.link, /^https:\/\/own\.example\/people\/\d+$/)
})

test('a search narrows a list, and one that is none is wrong use, with the words of the parser', async () => {
  const { organizationId } = trial.tenant
  for (const name of ['Mac', 'Linux']) await make.device(organizationId, { name })
  const named = cellsOf(await run(deviceCommands.list, { limit: 100, query: 'name~LIN' })).slice(1)
  assert.deepEqual(
    named.map((row) => row[1]),
    ['Linux'],
  )
  await assert.rejects(run(deviceCommands.list, { limit: 100, query: 'nam:x' }), {
    exitCode: 2,
    message: /^error: --query: Unknown search field "nam"; searchable here: id, name, /,
  })
  assert.deepEqual(await run(deviceCommands.list, { limit: 100, query: 'name:x' }), {
    ...{ exit: 0, out: '', err: 'No devices match.\n' },
  })
})

test('a list that is empty says so, and JSON of nothing is nothing', async () => {
  const limit = 100
  const nothing = (err: string) => ({ exit: 0, out: '', err: `${err}\n` })
  assert.deepEqual(await run(deviceCommands.list, { limit }), nothing('No devices.'))
  assert.deepEqual(await run(deviceCommands.list, { limit, json: true }), nothing('No devices.'))
  assert.deepEqual(await run(groupCommands.list, { limit }), nothing('No device groups or person groups.'))
  const all = 'Pass --all to look at the others as well.'
  assert.deepEqual(await run(issueCommands.list, { limit }), nothing(`No open issues. ${all}`))
  assert.deepEqual(await run(issueCommands.list, { limit, all: true }), nothing('No issues.'))
})

test('a list longer than a page has each record once, up to the limit, and says that there are more', async () => {
  const { organizationId } = trial.tenant
  const created = { ...{ organization_id: organizationId, created_at: trial.now() } }
  const devices = Array.from({ length: 450 }, (_, index) => ({
    ...{ ...created, name: `Device ${index}`, device_type: 'Mac' as const, form_factor: 'computer' as const },
  }))
  await trial.db.insertInto('devices').values(devices).execute()
  for (const [limit, more] of [
    [100, true],
    [200, true],
    [449, true],
    [450, false],
    [10_000, false],
  ] as const) {
    const { out, err } = await run(deviceCommands.list, { limit })
    assert.deepEqual(
      out.match(/Device \d+/g),
      devices.slice(0, limit).map(({ name }) => name),
    )
    assert.equal(out.match(/^ID/gm)?.length, 1)
    const line = `Shown: the first ${limit} devices. Pass --limit for more (10,000 at most), or narrow with --query.\n`
    assert.equal(err, more ? line : '')
    const records = (await run(deviceCommands.list, { limit, json: true })).out.trimEnd().split('\n')
    assert.equal(records.length, Math.min(limit, devices.length))
  }
})

test('sign-ins are listed as the API has them: the newest first', async () => {
  const { organizationId } = trial.tenant
  const times = ['2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z']
  for (const started_at of times) await make.authLog(organizationId, { started_at })
  const rows = cellsOf(await run(signInCommands.list, { limit: 100 })).slice(1)
  assert.deepEqual(
    rows.map((row) => row[1]),
    times.toReversed(),
  )
})

test('names cannot reach the controls of the terminal, nor break a line', async () => {
  const name = 'Mac\u001b[2J\n\u009b31m'
  await make.device(trial.tenant.organizationId, { name })
  assert.match((await run(deviceCommands.list, { limit: 1 })).out, / {2}Mac\u{FFFD}\[2J\u{FFFD}{2}31m {2}/u)
  const { out } = await run(deviceCommands.list, { limit: 1, json: true })
  assert.doesNotMatch(out.trimEnd(), /\p{Cc}/u)
  assert.equal(JSON.parse(out).name, name)
})

test('issues and requests are those that wait, unless all are asked for; a search is within them', async () => {
  const made = await fill(trial.tenant.organizationId, 'ana')
  await make.result({ device: made.mac, check: made.check, rows: 'PASS', at: '2026-11-20T11:00:00.000Z' })
  await trial.db.updateTable('registration_requests').set({ status: 'denied', decided_at: trial.now() }).execute()
  const rowsOf = async (command: DataCommand<TSchema>, asked: object) =>
    (await run(command, { limit: 100, ...asked })).out.split('\n').length - 1
  for (const [command, asked] of [
    [issueCommands.list, {}],
    [requestCommands.list, { kind: 'registration' }],
  ] as readonly [DataCommand<TSchema>, object][]) {
    assert.equal(await rowsOf(command, asked), 0)
    assert.equal(await rowsOf(command, { ...asked, all: true }), 2)
    const query = command === issueCommands.list ? 'id:0 OR detected_at>2020-01-01' : 'status:denied'
    assert.equal(await rowsOf(command, { ...asked, query }), 0)
    assert.equal(await rowsOf(command, { ...asked, query, all: true }), 2)
  }
})

test('both kinds of groups and requests are one table; a search or JSON is about one kind', async () => {
  await fill(trial.tenant.organizationId, 'ana')
  for (const [command, kinds] of [
    [groupCommands.list, ['device', 'person']],
    [requestCommands.list, ['exemption of 1', 'registration']],
  ] as readonly [DataCommand<TSchema>, string[]][]) {
    assert.deepEqual(
      cellsOf(await run(command, { limit: 100 })).map(([kind]) => kind),
      ['KIND', ...kinds],
    )
    const sayKind = (flag: string) => ({ exitCode: 2, message: `error: ${flag} is about one kind: say --kind` })
    await assert.rejects(run(command, { limit: 100, json: true }), sayKind('--json'))
    await assert.rejects(run(command, { limit: 100, query: 'id:1' }), sayKind('--query'))
  }
})
