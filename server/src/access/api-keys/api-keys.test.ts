import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import Type from 'typebox'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { buildApp } from '../../app.ts'
import { newChange, systemActor } from '../../base/change-context.ts'
import { connectPostgres } from '../../base/db/connect.ts'
import { transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { createLogger } from '../../base/logging.ts'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { generateKey } from '../../base/secrets/token-format.ts'
import { endpoint } from '../../http/endpoint.ts'
import { changePermissions, type PermissionChange } from './change-permissions.ts'
import { createApiKey } from './create-api-key.ts'
import { listApiKeys } from './queries.ts'
import { revealApiKey } from './reveal-api-key.ts'
import { revokeApiKey } from './revoke-api-key.ts'

const trial = testApp({
  addRoutes: (app) =>
    endpoint(app, {
      method: 'POST',
      path: '/trials',
      operationId: 'nameActor',
      summary: 'Try',
      tag: 'Trial',
      permission: 'update_devices',
      answer: Type.Object({ name: Type.String() }),
      run: async ({ context }) => ({ name: context.actor.name }),
    }),
})
const { ask, addKey, addTenant, secrets } = trial
const now = '2026-11-20T11:00:00.000Z'
const actor = systemActor

const create = (asked: Partial<Parameters<typeof createApiKey>[2]> = {}) =>
  transact(trial.db, (tx) =>
    createApiKey(
      tx,
      secrets,
      {
        name: 'Sync "A"',
        responsibleAdministrator: 'Maya Lindqvist',
        permissions: { remove_devices: 'Lost devices are deleted by the help desk.' },
        ...asked,
      },
      newChange(actor, trial.tenant.organizationId, now),
    ),
  )
const reveal = (organizationId: string, id: string) =>
  transact(trial.db, (tx) => revealApiKey(tx, secrets, { id }, newChange(actor, organizationId, now)))
const revoke = (organizationId: string, id: string) =>
  transact(trial.db, (tx) => revokeApiKey(tx, { id }, newChange(actor, organizationId, now)))
const lastEntry = async () => (await ask('GET', '/audit_logs?per_page=1')).body.data[0].description

test('a new key works, is listed without its secret, and is written down with its permissions', async () => {
  const { id, key } = await create()
  assert.match(key, /^mstr_v1_[0-9A-Za-z]{36}$/)
  assert.equal((await ask('GET', '/whoami', { key })).status, 200)
  assert.equal(
    await lastEntry(),
    'Created the API key "Sync "A"", for which "Maya Lindqvist" is responsible, with the permissions "Remove Devices" ("Lost devices are deleted by the help desk.").',
  )
  const listed = (await listApiKeys(trial.db, trial.tenant.organizationId)).find((one) => one.id === id)
  assert.deepEqual(listed, {
    id,
    name: 'Sync "A"',
    responsible_administrator: 'Maya Lindqvist',
    permissions: { remove_devices: 'Lost devices are deleted by the help desk.' },
    permission_uses: {},
    uses_recorded_since: now,
    created_at: now,
    last_used_at: null,
    expires_at: null,
    needs_review_since: null,
  })
})

test('a key made beforehand is taken once', async () => {
  const key = generateKey()
  assert.equal((await create({ key })).key, key)
  assert.equal((await ask('GET', '/whoami', { key })).status, 200)
  await assert.rejects(create({ key }), hasErrors([{ field: 'key', message: 'is in use already' }]))
})

test('a key needs a name, someone responsible, and a rationale for each permission', async () => {
  const wrong = { name: ' ', responsibleAdministrator: '', permissions: { remove_devices: ' ' }, key: 'mstr_v1_x' }
  await assert.rejects(
    create(wrong),
    hasErrors([
      { field: 'permissions/remove_devices', message: 'needs a written rationale' },
      { field: 'name', message: 'must not be blank' },
      { field: 'responsible_administrator', message: 'must not be blank' },
      { field: 'key', message: 'must be a key made by Muster' },
    ]),
  )
  await assert.rejects(
    create({ permissions: { toString: 'x' } as object }),
    hasErrors([{ field: 'permissions/toString', message: 'is not a permission' }]),
  )
})

const hasErrors = (errors: unknown) => (error: unknown) => {
  assert.ok(error instanceof ServiceError)
  assert.deepEqual([error.code, error.errors], ['invalid', errors])
  return true
}

test('a revealed key is the key, and every reveal is written down', async () => {
  const { id, key } = await create({ name: 'Shown' })
  assert.equal(await reveal(trial.tenant.organizationId, id), key)
  assert.equal(await lastEntry(), 'Revealed the API key "Shown".')
})

test('nothing is revealed when the reveal cannot be written down', async () => {
  const { id } = await create()
  await sql`alter table audit_logs add constraint no_more check (description not like 'Revealed%') not valid`.execute(
    trial.db,
  )
  await assert.rejects(reveal(trial.tenant.organizationId, id), { constraint: 'no_more' })
  await sql`alter table audit_logs drop constraint no_more`.execute(trial.db)
})

test('a key of another organization can be neither revealed nor revoked', async () => {
  const { id } = await create()
  const { organizationId } = await addTenant()
  for (const attempt of [reveal, revoke]) {
    await assert.rejects(attempt(organizationId, id), { code: 'not_found' })
  }
})

test('a sealed key opens only in its own place and with the own master key', async () => {
  const [first, second] = [await create(), await create()]
  await sql`update api_keys set sealed_key = (select sealed_key from api_keys where id = ${first.id}) where id = ${second.id}`.execute(
    trial.db,
  )
  await assert.rejects(reveal(trial.tenant.organizationId, second.id), { name: 'UnsealError' })
  const others = openSecrets(Buffer.alloc(32, 9))
  const { organizationId } = trial.tenant
  await assert.rejects(
    transact(trial.db, (tx) => revealApiKey(tx, others, { id: first.id }, newChange(actor, organizationId, now))),
    { name: 'UnsealError' },
  )
})

test('the database holds no key in plain text', async () => {
  const { key } = await create()
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(trial.db)
  for (const { name } of rows) {
    const found = await sql`
      select 1 from ${sql.table(name)} as kept where kept::text like ${`%${key.slice(8)}%`}`.execute(trial.db)
    assert.equal(found.rows.length, 0, name)
  }
})

test('a revoked key is refused from the next request on, and revoked once', async () => {
  const { id, key } = await create({ name: 'Old' })
  assert.equal((await ask('GET', '/whoami', { key })).status, 200)
  await revoke(trial.tenant.organizationId, id)
  assert.equal((await ask('GET', '/whoami', { key })).status, 401)
  assert.equal(await lastEntry(), 'Revoked the API key "Old".')
  await assert.rejects(revoke(trial.tenant.organizationId, id), { code: 'not_found' })
  await assert.rejects(reveal(trial.tenant.organizationId, id), { code: 'not_found' })
})

test('a permission or a name that changes counts from the next request on', async () => {
  const { id, key } = await create({ permissions: {} })
  const change = (name: string, permissions: object) =>
    trial.db
      .updateTable('api_keys')
      .set({ name, permissions: JSON.stringify(permissions) })
      .where('id', '=', id)
      .execute()
  assert.equal((await ask('POST', '/trials', { key })).status, 403)
  await change('Renamed', { update_devices: 'It was asked for.' })
  const allowed = await ask('POST', '/trials', { key })
  assert.deepEqual([allowed.status, allowed.body], [200, { name: 'Renamed' }])
  await change('Renamed', {})
  assert.equal((await ask('POST', '/trials', { key })).status, 403)
})

const change = (
  asked: Partial<PermissionChange> & Pick<PermissionChange, 'id' | 'change'>,
  organizationId = trial.tenant.organizationId,
) =>
  transact(trial.db, (tx) =>
    changePermissions(
      tx,
      { permissions: ['update_devices'], rationale: 'The help desk needs it.', ...asked },
      newChange(actor, organizationId, now),
    ),
  )

test('a permission is granted and withdrawn with a reason, and both count from the next request on', async () => {
  const { id, key } = await create({ name: 'Desk', permissions: { refresh_check: 'It was asked for.' } })
  const permissionsOf = async () =>
    (await listApiKeys(trial.db, trial.tenant.organizationId)).find((one) => one.id === id)?.permissions
  assert.equal((await ask('POST', '/trials', { key })).status, 403)
  assert.equal(await change({ id, change: 'grant', permissions: ['update_devices', 'remove_devices'] }), true)
  assert.equal(
    await lastEntry(),
    'Granted the API key "Desk" the permissions "Update Devices", "Remove Devices" ("The help desk needs it.").',
  )
  assert.equal((await ask('POST', '/trials', { key })).status, 200)
  assert.deepEqual(await permissionsOf(), {
    refresh_check: 'It was asked for.',
    update_devices: 'The help desk needs it.',
    remove_devices: 'The help desk needs it.',
  })
  assert.equal(await change({ id, change: 'withdraw', rationale: 'The trial is over.' }), true)
  assert.equal(
    await lastEntry(),
    'Withdrew the permission "Update Devices" from the API key "Desk" ("The trial is over.").',
  )
  assert.equal((await ask('POST', '/trials', { key })).status, 403)
  assert.deepEqual(await permissionsOf(), {
    refresh_check: 'It was asked for.',
    remove_devices: 'The help desk needs it.',
  })
})

test('a grant or withdrawal that changes nothing writes nothing, and another reason is a change', async () => {
  const { id } = await create({ name: 'Desk', permissions: {} })
  await change({ id, change: 'grant' })
  const versions = await rowVersions(trial.db)
  assert.equal(await change({ id, change: 'grant', permissions: ['update_devices', 'update_devices'] }), false)
  assert.equal(await change({ id, change: 'withdraw', permissions: ['refresh_check'] }), false)
  assert.deepEqual(await rowVersions(trial.db), versions)
  assert.equal(await change({ id, change: 'grant', rationale: 'Another reason.' }), true)
  assert.equal(await lastEntry(), 'Granted the API key "Desk" the permission "Update Devices" ("Another reason.").')
})

test('permissions are not changed without a reason, of an unknown or revoked key, or from another organization', async () => {
  const { id } = await create()
  const errors = [
    { field: 'permissions/constructor', message: 'is not a permission' },
    { field: 'rationale', message: 'must not be blank' },
  ]
  const wrong = { permissions: ['constructor' as 'refresh_check'], rationale: ' ' }
  await assert.rejects(change({ id, change: 'grant', ...wrong }), hasErrors(errors))
  const none = [{ field: 'permissions', message: 'must name at least one' }]
  await assert.rejects(change({ id, change: 'withdraw', permissions: [] }), hasErrors(none))
  const { organizationId } = await addTenant()
  await assert.rejects(change({ id, change: 'grant' }, organizationId), { code: 'not_found' })
  await assert.rejects(change({ id: '999999', change: 'grant' }), { code: 'not_found' })
  await revoke(trial.tenant.organizationId, id)
  await assert.rejects(change({ id, change: 'grant' }), { code: 'not_found' })
})

testOnPostgres('changes of one key at the same time lose nothing', async () => {
  const { id } = await create({ permissions: {} })
  const granted = ['update_devices', 'refresh_check', 'configure_checks', 'run_external_checks'] as const
  await Promise.all(granted.map((permission) => change({ id, change: 'grant', permissions: [permission] })))
  const listed = (await listApiKeys(trial.db, trial.tenant.organizationId)).find((one) => one.id === id)
  assert.deepEqual(Object.keys(listed?.permissions ?? {}).sort(), [...granted].sort())
})

testOnPostgres('a revocation in one process is heeded by another at once', async () => {
  const connection = await connectPostgres({ url: trial.database.url ?? '', maxConnections: 2 })
  const { config, now: clock } = trial
  const second = buildApp({ config, connection, secrets, clock, log: createLogger('silent') })
  const { id, key } = await create()
  const asked = async () =>
    (await second.inject({ url: '/whoami', headers: { authorization: `Bearer ${key}` } })).statusCode
  assert.equal(await asked(), 200)
  await revoke(trial.tenant.organizationId, id)
  assert.equal(await asked(), 401)
  await second.close()
  await connection.close()
})

test('the last use of a key is known after the app has stopped', async () => {
  const key = await addKey()
  const { config, database } = trial
  const clock = () => '2026-11-21T08:00:00.000Z'
  const app = buildApp({ config, connection: database.connection, secrets, clock, log: createLogger('silent') })
  await app.inject({ url: '/whoami', headers: { authorization: `Bearer ${key}` } })
  await app.close()
  const used = (await listApiKeys(trial.db, trial.tenant.organizationId)).at(-1)
  assert.equal(used?.last_used_at, clock())
})

test('which permissions of a key were needed, and when last, is known after the app has stopped', async () => {
  const { id, key } = await create({ permissions: { remove_devices: 'Why', manage_webhooks: 'Because' } })
  const { config, database } = trial
  const useAt = async (time: string, ...asked: readonly (readonly ['GET' | 'DELETE', string])[]) => {
    const parts = { config, connection: database.connection, secrets, log: createLogger('silent') }
    const app = buildApp({ ...parts, clock: () => time })
    for (const [method, url] of asked) await app.inject({ method, url, headers: { authorization: `Bearer ${key}` } })
    await app.close()
  }
  const uses = async () =>
    (await listApiKeys(trial.db, trial.tenant.organizationId)).find((one) => one.id === id)?.permission_uses
  const [early, late] = ['2026-11-21T08:00:00.000Z', '2026-11-22T08:00:00.000Z']
  await useAt(late, ['GET', '/whoami'])
  assert.deepEqual(await uses(), {}, 'reading needs none')
  await useAt(late, ['GET', '/webhook_endpoints'], ['GET', '/ssf_streams'])
  assert.deepEqual(await uses(), { manage_webhooks: late }, 'what was refused is no use')
  await useAt(early, ['GET', '/webhook_endpoints'], ['DELETE', '/devices/1'])
  assert.deepEqual(await uses(), { manage_webhooks: late, remove_devices: early }, 'the later of two processes stays')
})
