import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { scimClient } from '../../../test/support/scim-client.ts'
import { peopleCommands } from './people-commands.ts'

const trial = testApp()
const make = makeIn(trial)
const run = commandsOn(trial, '2026-11-20T10:00:00.000Z')

beforeEach(() => trial.reset())

test('a person is added with an e-mail address, and not with what only looks like one', async () => {
  const { out, err } = await run(peopleCommands.add, { name: 'René', email: 'rené@acme.example' })
  assert.equal(err, 'Added rené@acme.example.\n')
  const id = out.trim()
  assert.equal((await trial.ask('GET', `/people/${id}`)).body.email, 'rené@acme.example')
  for (const email of ['rené', 'mailto:r@acme.example', '<r@acme.example>', 'r@acme', 'r@acme.example.']) {
    const errors = [{ field: 'email', message: 'must be an e-mail address' }]
    await assert.rejects(run(peopleCommands.add, { name: 'René', email }), { code: 'invalid', errors }, email)
  }
})

const people = async () => {
  const { organizationId } = trial.tenant
  const ana = await make.person(organizationId, {
    ...{ name: 'Ana Ruiz', email: 'ana@acme.example', usernames: ['ana', 'ruiz'] },
    last_authenticated_at: '2026-11-19T08:00:00.000Z',
  })
  const ben = await make.person(organizationId, { name: 'Ben\u001b[31m', email: "o'ben@acme.example" })
  const cleo = await make.person(organizationId, {
    ...{ name: 'Cleo', email: 'cleo@acme.example', deprovisioned_at: '2026-11-18T08:00:00.000Z' },
  })
  const mac = await make.device(organizationId, { name: 'Mac\u001b', registered_owner_id: ana.id })
  return { ana, ben, cleo, mac }
}

test('people are listed, found by a part of the name or address, and those who were taken out apart', async () => {
  const { ana, ben, cleo } = await people()
  const lines = async (asked: { query?: string; deprovisioned?: boolean }) =>
    (await run(peopleCommands.list, { limit: 100, ...asked })).out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
  const heads = ['ID', 'E-MAIL', 'NAME', 'DEVICES', 'LAST SIGN-IN']
  const rowOfAna = [ana.id, 'ana@acme.example', 'Ana Ruiz', '1', '2026-11-19T08:00:00.000Z']
  assert.deepEqual(await lines({}), [heads, rowOfAna, [ben.id, "o'ben@acme.example", 'Ben\u{FFFD}[31m', '0', '–']])
  assert.deepEqual(await lines({ query: 'name~RUIZ OR email~RUIZ' }), [heads, rowOfAna])
  assert.deepEqual(await lines({ query: 'name~nobody' }), [['']])
  assert.deepEqual(await lines({ deprovisioned: true }), [
    [...heads.slice(0, 4), 'DEPROVISIONED'],
    [cleo.id, 'cleo@acme.example', 'Cleo', '0', '2026-11-18T08:00:00.000Z'],
  ])
})

test('a list of several pages has each person once', async () => {
  const { organizationId } = trial.tenant
  const names = Array.from({ length: 401 }, (_, index) => `Person ${index}`)
  const created = { organization_id: organizationId, created_at: trial.now() }
  const rows = names.map((name, index) => ({ ...created, name, email: `p${index}@acme.example` }))
  await trial.db.insertInto('people').values(rows).execute()
  const { out } = await run(peopleCommands.list, { limit: 401 })
  const [head, ...lines] = out.trimEnd().split('\n')
  assert.match(head ?? '', /^ID/)
  assert.deepEqual(
    lines.map((line) => /Person \d+/.exec(line)?.[0]),
    names,
  )
})

test('a person is shown by identifier or address, also one who was taken out', async () => {
  const { ana, cleo, mac } = await people()
  await addAdmin(trial, { email: 'ANA@acme.example' })
  const shown = [
    `ID:            ${ana.id}`,
    'name:          Ana Ruiz',
    'e-mail:        ana@acme.example',
    'user names:    ana, ruiz',
    'managed by:    administrators',
    `devices:       ${mac.id} (Mac\u{FFFD})`,
    `created:       ${ana.created_at}`,
    'last sign-in:  2026-11-19T08:00:00.000Z',
    'deprovisioned: –',
  ]
  for (const person of [ana.id, 'Ana@ACME.example']) {
    const { out } = await run(peopleCommands.show, { person })
    assert.deepEqual(out.split('\n').slice(0, 9), shown)
    assert.match(out, /^administrator: \d+$/m)
  }
  const { out } = await run(peopleCommands.show, { person: 'cleo@acme.example' })
  assert.match(out, new RegExp(`^ID: +${cleo.id}$`, 'm'))
  assert.match(out, /^deprovisioned: 2026-11-18T08:00:00.000Z$/m)
  for (const command of [peopleCommands.show, peopleCommands.deprovision, peopleCommands.restore]) {
    for (const person of ['dora@acme.example', '900000000000000001']) {
      const refusal = { exitCode: 5, message: `There is no person ${person}: muster people list` }
      await assert.rejects(run(command, { person }), refusal)
    }
  }
})

test('a person is deprovisioned with a line for each device, and restored', async () => {
  const { ana, ben, mac } = await people()
  const { organizationId } = trial.tenant
  const phone = await make.device(organizationId, {
    ...{ name: 'Phone', device_type: 'iOS', form_factor: 'phone', registered_owner_id: ana.id },
  })
  const linux = await make.device(organizationId, { name: 'Linux', registered_owner_id: ben.id })
  const doubtful = await make.device(organizationId, {
    ...{ name: 'Doubtful', registered_owner_id: ana.id, registration_suspended_at: trial.now() },
  })
  const { id: adminId } = await addAdmin(trial, { email: 'ana@acme.example' })
  await assert.rejects(run(peopleCommands.deprovision, { person: ana.id }), { code: 'invalid' })
  await addAdmin(trial, { email: 'boss@acme.example' })
  assert.deepEqual(await run(peopleCommands.deprovision, { person: 'ana@acme.example' }), {
    exit: 0,
    out: [
      `Deprovisioned person ${ana.id} (Ana Ruiz)`,
      `Device ${mac.id} (Mac\u{FFFD}) has no owner now. After a restore: muster devices register ${mac.id} ana@acme.example`,
      `Device ${phone.id} is deleted with its registration`,
      `Device ${doubtful.id} (Doubtful) has no owner now. Its registration was suspended: register it again only if you know whose it is`,
      '',
    ].join('\n'),
    err: `An administrator has this address and can no longer sign in to the console. To remove them: muster admins remove ${adminId}\n`,
  })
  const title = `Person ${ana.id} (Ana Ruiz)`
  const again = await run(peopleCommands.deprovision, { person: ana.id })
  assert.deepEqual(again, { exit: 0, out: `${title} is deprovisioned already\n`, err: '' })
  const back = await run(peopleCommands.restore, { person: 'ana@acme.example' })
  assert.deepEqual(back, { exit: 0, out: `Restored person ${ana.id} (Ana Ruiz)\n`, err: '' })
  assert.equal((await run(peopleCommands.restore, { person: ana.id })).out, `${title} is unchanged\n`)
  assert.equal(
    (await run(peopleCommands.deprovision, { person: ben.id })).out,
    `Deprovisioned person ${ben.id} (Ben\u{FFFD}[31m)\n` +
      `Device ${linux.id} (Linux) has no owner now. After a restore: muster devices register ${linux.id} 'o'\\''ben@acme.example'\n`,
  )
  const log = trial.db.selectFrom('audit_logs').select(['description', 'actor_name']).orderBy('id', 'desc')
  const last = await log.executeTakeFirstOrThrow()
  assert.match(last.description, /^Deprovisioned "Ben/)
  assert.match(last.actor_name, /\(command line\)$/)
})

test('whom SCIM provides, no command deprovisions or restores', async () => {
  const scim = scimClient(trial)
  await scim.begin()
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
  const user = (active: boolean) => ({ body: { schemas, userName: 'ana@acme.example', active } })
  const { id } = (await scim.ask('POST', '/Users', user(true))).body
  const refusal = { code: 'person_provided' }
  await assert.rejects(run(peopleCommands.deprovision, { person: id }), refusal)
  assert.match((await run(peopleCommands.show, { person: id })).out, /^managed by: +SCIM$/m)
  await scim.ask('PUT', `/Users/${id}`, user(false))
  await assert.rejects(run(peopleCommands.restore, { person: id }), refusal)
  await assert.rejects(run(peopleCommands.add, { name: 'Ana', email: 'ana@acme.example' }), refusal)
})

test('commands about people concern the organization that is named', async () => {
  const other = await trial.addTenant('Other')
  const dora = await make.person(other.organizationId, { name: 'Dora', email: 'dora@acme.example' })
  const organization = trial.tenant.organizationId
  await assert.rejects(run(peopleCommands.deprovision, { organization, person: dora.id }), { exitCode: 5 })
  const done = await run(peopleCommands.deprovision, { organization: 'Other', person: dora.id })
  assert.equal(done.out, `Deprovisioned person ${dora.id} (Dora)\n`)
})
