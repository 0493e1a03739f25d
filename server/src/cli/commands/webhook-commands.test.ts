import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { startOfTests } from '../../../test/support/make.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { webhookCommands } from './webhook-commands.ts'

const trial = testApp()
const run = commandsOn(trial, startOfTests)
const asked = { url: 'https://hooks.acme.example/secret-path', events: ['issues.new', 'devices.created'] } as const
const secretLine = /^whsec_[\w+/]{43}=\n$/

beforeEach(() => trial.reset())

const add = async () => {
  const { out, err } = await run(webhookCommands.add, { asked: { ...asked, events: [...asked.events] }, json: false })
  const [, id = ''] = /^Made webhook endpoint (\d+), /.exec(err) ?? []
  return { id, secret: out }
}

const list = async () => (await run(webhookCommands.list, { json: false })).out.trimEnd().split('\n')

test('an endpoint is made, listed by the host of its receiver alone, changed, disabled and deleted', async () => {
  const { id, secret } = await add()
  assert.match(secret, secretLine)
  const [heads, row] = await list()
  assert.match(heads ?? '', /^ID +RECEIVER +DESCRIPTION +EVENTS +HEALTH +LAST DELIVERED +TROUBLE$/)
  assert.match(row ?? '', new RegExp(`^${id} +hooks\\.acme\\.example +– +devices\\.created issues\\.new +ok +– +–$`))

  const change = (what: object) => run(webhookCommands.edit, { endpoint: id, asked: what })
  assert.equal((await change({ description: 'Tickets' })).out, `Webhook endpoint ${id} is changed\n`)
  assert.equal((await change({ description: 'Tickets' })).out, `Webhook endpoint ${id} is as it was\n`)
  assert.equal((await change({ enabled: false })).out, `Webhook endpoint ${id} is disabled\n`)
  assert.match((await list())[1] ?? '', / Tickets .* stopped .* disabled by an administrator$/)
  assert.equal((await change({ enabled: true })).out, `Webhook endpoint ${id} is enabled\n`)
  await assert.rejects(change({ url: 'http://acme.example/' }), {
    code: 'invalid',
    errors: [{ field: 'url', message: 'must begin with https:// and a host' }],
  })

  assert.equal(
    (await run(webhookCommands.delete, { endpoint: id })).out,
    `Deleted webhook endpoint ${id}, with what was waiting for it\n`,
  )
  assert.equal((await list()).length, 1)
  await assert.rejects(change({ enabled: true }), { code: 'not_found' })
  const audit = (await trial.ask('GET', '/audit_logs?query=description~"webhook endpoint"')).body.data
  const at = 'the webhook endpoint at "hooks.acme.example"'
  assert.deepEqual(
    audit.map(({ description }: { description: string }) => description),
    [
      `Deleted ${at}.`,
      `Enabled ${at}.`,
      `Disabled ${at}.`,
      `Changed ${at}: another description.`,
      `Created ${at} for devices.created, issues.new.`,
    ],
  )
})

test('as JSON an endpoint is that of the API, with its secret where it is made', async () => {
  const { out } = await run(webhookCommands.add, { asked: { ...asked, events: [...asked.events] }, json: true })
  const { secret, ...made } = JSON.parse(out)
  assert.match(`${secret}\n`, secretLine)
  assert.deepEqual(made, (await trial.ask('GET', `/webhook_endpoints/${made.id}`)).body)
  assert.deepEqual(JSON.parse((await run(webhookCommands.list, { json: true })).out), made)
})

test('the secret is revealed and rolled, and nothing else is printed where a script reads it', async () => {
  const { id, secret } = await add()
  assert.deepEqual(await run(webhookCommands.revealSecret, { endpoint: id }), { exit: 0, out: secret, err: '' })
  const rolled = await run(webhookCommands.rollSecret, { endpoint: id, overlapSeconds: 60 })
  assert.match(rolled.out, secretLine)
  assert.notEqual(rolled.out, secret)
  assert.equal(rolled.err, 'The one before signs as well until 2026-11-20T10:01:00.000Z.\n')
  await assert.rejects(run(webhookCommands.rollSecret, { endpoint: id, overlapSeconds: 60 }), {
    code: 'secret_overlapping',
  })
  const atOnce = await run(webhookCommands.rollSecret, { endpoint: id, overlapSeconds: 0 })
  assert.equal(atOnce.err, 'The one before has ended.\n')
  assert.equal((await run(webhookCommands.revealSecret, { endpoint: id })).out, atOnce.out)
  await assert.rejects(run(webhookCommands.revealSecret, { endpoint: '900000000000000001' }), { code: 'not_found' })
})
