import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { RequestRefusal } from '@muster/contract/request-refusals.ts'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { commandsOn, typedArgs } from '../../../test/support/run-command.ts'
import { relyingParty } from '../../../test/support/sign-in-browser.ts'
import { transact } from '../../base/db/transact.ts'
import { createUpstream } from '../../sign-in/upstreams/create-upstream.ts'
import { terminalChange } from '../organization-of.ts'
import { newConnectionCommands } from './add-connection-commands.ts'
import { connectionCommands } from './connection-commands.ts'
import { connectionGroup } from './connection-group.ts'
import { signingKeyCommands } from './signing-key-commands.ts'

const trial = testApp()
const make = makeIn(trial)
const now = '2026-11-20T10:00:00.000Z'
const run = commandsOn(trial, now)
const tenantId = '5f2c1b7a-9d34-4e0b-8c61-2a7e93d0f415'
const entra = { name: 'Microsoft 365', tenantIds: [tenantId], appId: 'c0a81d52-6e4f-4b9a-a3d7-18f5e2b96c04' }

beforeEach(() => trial.reset())

const only = () =>
  trial.db.selectFrom('signin_connections').select(['id', 'client_id', 'mode']).executeTakeFirstOrThrow()

async function addPayroll(name = 'Payroll'): Promise<string> {
  const { jwk, redirectUri } = await relyingParty()
  const requestKeys = JSON.stringify({ keys: [jwk] })
  const asked = { redirectUris: [redirectUri], requestKeys, startUrl: 'https://payroll.example/' }
  await run(newConnectionCommands.secondStep, { name, isEnforcing: true, ...asked })
  return (await only()).id
}

/** An upstream that is never asked. */
async function addUpstream(): Promise<string> {
  const issuer = 'https://id.example'
  const metadata = { issuer, authorizationEndpoint: `${issuer}/authorize`, endSessionEndpoint: null }
  const wanted = { name: 'Example ID', provider: 'oidc', clientId: 'muster', clientSecret: 'x', metadata } as const
  const change = terminalChange(trial.tenant.organizationId, now)
  return (await transact(trial.db, (tx) => createUpstream(tx, trial.secrets, wanted, change))).id
}

const fieldsOf = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => (/^([^:]+): +(.*)$/.exec(line) ?? [line, line]).slice(1))

/** Ana got in twice, Bo once and Cy not at all; what is older than 30 days does not count. */
async function addSignIns(connectionId: string): Promise<void> {
  const { organizationId } = trial.tenant
  const [ana, bo, cy] = await Promise.all(['Ana', 'Bo', 'Cy'].map((name) => make.person(organizationId, { name })))
  const log = (person: typeof ana, at: string, result: 'Success' | 'Fail' = 'Success') =>
    make.authLog(organizationId, {
      ...{ person_id: person?.id ?? '', connection_id: connectionId, started_at: at, result },
    })
  await log(ana, '2026-11-20T09:00:00.000Z')
  await log(ana, '2026-11-02T09:00:00.000Z')
  await log(bo, '2026-11-19T09:00:00.000Z')
  await log(cy, '2026-11-20T09:30:00.000Z', 'Fail')
  await log(cy, '2026-10-01T09:00:00.000Z')
}

test('connections are listed with their kinds and what they do', async () => {
  await run(newConnectionCommands.entra, { ...entra, isEnforcing: true })
  const { id, client_id: clientId } = await only()
  const rows = async () => (await run(connectionCommands.list, {})).out.split('\n').map((row) => row.split(/ {2,}/))
  assert.deepEqual((await rows()).slice(0, 2), [
    ['ID', 'NAME', 'KIND', 'MODE', 'UPSTREAM', 'CLIENT ID', 'LAST REFUSAL'],
    [id, 'Microsoft 365', 'entra', 'enforce', clientId],
  ])
  await run(connectionCommands.pause, { id, minutes: 60, reason: 'an outage' })
  assert.equal((await rows())[1]?.[3], 'paused until 2026-11-20T11:00:00.000Z')
})

test('everything about a connection is shown but its secret', async () => {
  const id = await addPayroll()
  await addSignIns(id)
  const { client_id: clientId } = await only()
  const before = (await run(connectionCommands.show, { id })).out
  assert.deepEqual(fieldsOf(before), [
    ['Connection', id],
    ['Name', 'Payroll'],
    ['Kind', 'second_step'],
    ['Mode', 'enforce'],
    ['Pause', 'none'],
    ['Issuer', 'https://muster.test/signin/oidc'],
    ['Client ID', clientId],
    ['Client secret', 'set, and not shown again'],
    ['Redirect URI', 'https://app.example/callback'],
    ['PKCE', 'required'],
    ['Request algorithm', 'RS256'],
    ['Request key', 'rp'],
    ['Start address', 'https://payroll.example/'],
    ['Managed browsers', 'no'],
    ['Waits', '10 minutes'],
    ['Added', '2026-11-20T10:00:00.000Z'],
    ['Last sign-in', '2026-11-20T09:00:00.000Z'],
    ['Within 7 days', '2 got in, 1 did not'],
  ])
  await run(connectionCommands.pause, { id, minutes: 60, reason: 'an outage\u001b[2J' })
  const paused = fieldsOf((await run(connectionCommands.show, { id })).out)
  assert.deepEqual(paused.slice(4, 6), [
    ['Paused until', '2026-11-20T11:00:00.000Z'],
    ['Reason', 'an outage\u{FFFD}[2J'],
  ])
  const later = await commandsOn(trial, '2026-11-20T11:00:00.000Z')(connectionCommands.show, { id })
  assert.deepEqual(fieldsOf(later.out)[4], ['Pause', 'none'], 'it has ended by itself')
  await assert.rejects(run(connectionCommands.show, { id: '999' }), { code: 'not_found' })
})

test('a connection is changed by what is given, and says what is true now', async () => {
  const upstreamId = await addUpstream()
  const client = { name: 'Wiki', redirectUris: ['https://wiki.example/callback'], upstreamId }
  await run(newConnectionCommands.application, { ...client, postLogoutRedirectUris: ['https://wiki.example/'] })
  const { id } = await only()
  const change = async (given: object) => {
    const [said = '', ...fields] = (await run(connectionCommands.change, { id, ...given })).out.trimEnd().split('\n')
    const named = ['Redirect URI', 'Post-logout redirect URI', 'PKCE']
    return [said, ...fieldsOf(fields.join('\n')).filter(([name = '']) => named.includes(name))]
  }
  const wiki = [
    ['Redirect URI', 'https://wiki.example/callback'],
    ['Post-logout redirect URI', 'https://wiki.example/'],
  ]
  const without = ['PKCE', 'not required: requests without it need a nonce']
  assert.deepEqual(await change({}), [`Connection ${id} is as it was`, ...wiki, ['PKCE', 'required']])
  assert.deepEqual(await change({ requiresPkce: false }), [`Connection ${id} is changed`, ...wiki, without])
  assert.deepEqual(await change({ postLogoutRedirectUris: false }), [
    ...[`Connection ${id} is changed`, ['Redirect URI', 'https://wiki.example/callback'], without],
  ])
  const redirectUris = ['https://wiki.example/a', 'https://wiki.example/b']
  assert.deepEqual(await change({ redirectUris, requiresPkce: true }), [
    ...[`Connection ${id} is changed`, ['Redirect URI', redirectUris[0]], ['Redirect URI', redirectUris[1]]],
    ['PKCE', 'required'],
  ])
  await assert.rejects(change({ postLogoutRedirectUris: ['https://wiki.example/*'] }), { code: 'invalid' })
  await assert.rejects(run(connectionCommands.change, { id: '999', requiresPkce: false }), { code: 'not_found' })
  const audited = await trial.db.selectFrom('audit_logs').select('changes').orderBy('id', 'desc').limit(2).execute()
  assert.deepEqual(
    audited.map(({ changes }) => changes?.map(({ field }) => field)),
    [['redirect_uris', 'requires_pkce'], ['post_logout_redirect_uris']],
  )
})

test('the flags that take away are typed beside those that give', async () => {
  const typed = (...flags: string[]) => typedArgs(connectionGroup.commands.change, '7', ...flags)
  assert.deepEqual(await typed(), { id: '7' })
  assert.deepEqual(await typed('--without-pkce'), { id: '7', requiresPkce: false })
  assert.deepEqual(await typed('--with-pkce'), { id: '7', requiresPkce: true })
  assert.deepEqual(await typed('--no-post-logout-redirect-uri'), { id: '7', postLogoutRedirectUris: false })
  const addresses = ['https://a.example/', 'https://b.example/']
  assert.deepEqual(await typed('--post-logout-redirect-uri', ...addresses, '--redirect-uri', ...addresses), {
    ...{ id: '7', postLogoutRedirectUris: addresses, redirectUris: addresses },
  })
})

test('the last refusal is listed and shown, with what to do about it', async () => {
  const upstreamId = await addUpstream()
  const client = { name: 'Wiki', redirectUris: ['https://wiki.example/callback'], upstreamId }
  await run(newConnectionCommands.application, client)
  const { id } = await only()
  const refuse = (reason: RequestRefusal) =>
    trial.db
      .insertInto('signin_refusals')
      .values({ organization_id: trial.tenant.organizationId, connection_id: id, reason, refused_at: now })
      .onConflict((conflict) => conflict.constraint('signin_refusals_pkey').doUpdateSet({ reason }))
      .execute()
  await refuse('pkce_missing')
  assert.match((await run(connectionCommands.list, {})).out, / {2}pkce_missing, 2026-11-20T10:00:00.000Z\n$/)
  const last = async () => fieldsOf((await run(connectionCommands.show, { id })).out).at(-1)
  assert.deepEqual(await last(), [
    'Last refusal',
    `2026-11-20T10:00:00.000Z: The application sends no PKCE. Turn PKCE on there, with the method S256, or do without: muster connections change ${id} --without-pkce`,
  ])
  const { out: later } = await commandsOn(trial, '2026-12-20T10:00:00.000Z')(connectionCommands.show, { id })
  assert.doesNotMatch(later, /Last refusal/)
  await refuse('redirect_uri')
  assert.match((await last())?.[1] ?? '', /redirect address that is not registered\. Add the address/)
})

test('a connection of Microsoft Entra is shown with its tenants and addresses', async () => {
  await run(newConnectionCommands.entra, entra)
  const { id } = await only()
  const shown = fieldsOf((await run(connectionCommands.show, { id })).out)
  const issuer = `https://muster.test/signin/entra/${id}`
  assert.deepEqual(shown.slice(7, 12), [
    ['Discovery endpoint', `${issuer}/.well-known/openid-configuration`],
    ['Reply URL', `${issuer}/authorize`],
    ['Cloud', 'global'],
    ['Tenant ID', tenantId],
    ['App ID', entra.appId],
  ])
})

test('whoever disables or deletes a connection is told who is shut out, and gives its name', async () => {
  const id = await addPayroll("Ana's payroll")
  await addSignIns(id)
  for (const [verb, command] of [
    ['disable', connectionCommands.disable],
    ['delete', connectionCommands.delete],
  ] as const) {
    await assert.rejects(run(command, { id }), {
      exitCode: 2,
      message: [
        "This shuts everyone out of Ana's payroll: 2 people signed in through it in the last 30 days, the last at 2026-11-20T09:00:00.000Z.",
        `Nothing was changed. To ${verb} it: muster connections ${verb} ${id} --confirm 'Ana'\\''s payroll'`,
      ].join('\n'),
    })
    await assert.rejects(run(command, { id, organization: 'Acme' }), { message: /payroll' --organization Acme$/ })
    await assert.rejects(run(command, { id, confirm: 'Payroll' }), { exitCode: 2, message: /Nothing was changed/ })
    assert.equal((await only()).mode, verb === 'disable' ? 'enforce' : 'disabled')
    assert.equal((await run(command, { id, confirm: "Ana's payroll" })).exit, 0)
  }
  assert.equal(await trial.db.selectFrom('signin_connections').select('id').executeTakeFirst(), undefined)
  await assert.rejects(run(connectionCommands.delete, { id, confirm: "Ana's payroll" }), { code: 'not_found' })
})

test('whoever has a connection enforce is told whom it would refuse, and gives their number', async () => {
  const { organizationId } = trial.tenant
  const { jwk, redirectUri } = await relyingParty()
  const asked = { name: 'Payroll', redirectUris: [redirectUri], requestKeys: JSON.stringify({ keys: [jwk] }) }
  await run(newConnectionCommands.secondStep, asked)
  const { id } = await only()
  await assert.rejects(run(connectionCommands.enforce, { id }), {
    exitCode: 2,
    message: [
      'There are no people yet: everyone who comes would be refused.',
      `Nothing was changed. To enforce: muster connections enforce ${id} --refusing 0`,
    ].join('\n'),
  })
  const [ana, bo] = [await make.person(organizationId), await make.person(organizationId)]
  await make.person(organizationId)
  await make.device(organizationId, { registered_owner_id: ana.id, device_type: 'Mac' })
  await make.device(organizationId, { registered_owner_id: bo.id, device_type: 'Windows' })
  const report = [
    '3 of 3 people would be refused today:',
    '  1 without a registered device',
    '  2 on a system that this server makes no companion for (macOS: 1, Windows: 1)',
    `Nothing was changed. To enforce: muster connections enforce ${id} --refusing 3`,
  ]
  await assert.rejects(run(connectionCommands.enforce, { id }), { exitCode: 2, message: report.join('\n') })
  const other = { exitCode: 2, message: ['Not 2.', ...report].join('\n') }
  await assert.rejects(run(connectionCommands.enforce, { id, refusing: 2 }), other)
  await assert.rejects(run(connectionCommands.enforce, { id, organization: 'Acme' }), {
    message: /--refusing 3 --organization Acme$/,
  })
  assert.equal((await only()).mode, 'observe')
  assert.equal((await run(connectionCommands.enforce, { id, refusing: 3 })).exit, 0)
  assert.equal((await only()).mode, 'enforce')
  assert.equal((await run(connectionCommands.enforce, { id })).exit, 0, 'one that enforces already asks for nothing')
  await assert.rejects(run(connectionCommands.enforce, { id: '999' }), { code: 'not_found' })
})

test('a connection that nobody used is disabled with the same question', async () => {
  const id = await addPayroll()
  await assert.rejects(run(connectionCommands.disable, { id }), {
    message: /nobody signed in through it in the last 30/,
  })
})

test('the key of Entra is replaced by itself, two days from now or at once', async () => {
  const purposes = async () =>
    (await trial.db.selectFrom('signing_keys').select(['purpose', 'active_from']).orderBy('active_from').execute()).map(
      ({ purpose, active_from: from }) => `${purpose} ${from}`,
    )
  await run(signingKeyCommands.rotateSigning, { purpose: 'entra', emergency: false })
  assert.deepEqual(await purposes(), ['entra 2026-11-20T10:00:00.000Z'])
  await run(signingKeyCommands.rotateSigning, { purpose: 'entra', emergency: false })
  assert.deepEqual((await purposes())[1], 'entra 2026-11-22T10:00:00.000Z')
  await run(signingKeyCommands.rotateSigning, { purpose: 'entra', emergency: true })
  assert.deepEqual((await purposes()).slice(0, 2), Array(2).fill('entra 2026-11-20T10:00:00.000Z'))
})
