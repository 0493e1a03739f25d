import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../test/support/database.ts'
import { verifyPassword } from './access/sessions/passwords.ts'
import { loadConfig } from './base/config/load-config.ts'
import { claimInstallation } from './base/secrets/installation.ts'
import { openSecrets } from './base/secrets/secrets.ts'
import { firstStart } from './first-start.ts'

const database = testDatabase()
const secrets = openSecrets(randomBytes(32))
const now = '2026-11-20T10:00:00.000Z'

beforeEach(async () => {
  await database.ready
  await database.reset()
  await claimInstallation(database.db, secrets.fingerprint, now)
})

const start = (env: Record<string, string>) =>
  firstStart(database.db, secrets, loadConfig(env).bootstrap, { isTrial: false, now })

const admins = () =>
  database.db.selectFrom('admin_users').select(['first_name', 'last_name', 'email', 'access', 'created_at']).execute()

test('the first start makes the administrator that the settings name, and a later one makes nobody', async () => {
  const env = {
    MUSTER_BOOTSTRAP_ORGANIZATION: 'Acme',
    MUSTER_BOOTSTRAP_ADMIN_EMAIL: 'maya@acme.example',
    MUSTER_BOOTSTRAP_ADMIN_PASSWORD: 'correct horse battery staple',
  }
  const maya = { first_name: 'maya', last_name: '', email: 'maya@acme.example', access: 'full', created_at: now }
  assert.ok(await start(env))
  assert.deepEqual(await admins(), [maya])
  assert.equal(await start({ ...env, MUSTER_BOOTSTRAP_ADMIN_EMAIL: 'tom@acme.example' }), undefined)
  assert.deepEqual(await admins(), [maya])
  const { password_hash } = await database.db.selectFrom('admin_credentials').selectAll().executeTakeFirstOrThrow()
  assert.equal(await verifyPassword(secrets, 'correct horse battery staple', password_hash), true)
})

test('a common password of the first administrator is refused before anything is made', async () => {
  const env = {
    MUSTER_BOOTSTRAP_ORGANIZATION: 'Acme',
    MUSTER_BOOTSTRAP_ADMIN_EMAIL: 'maya@acme.example',
    MUSTER_BOOTSTRAP_ADMIN_PASSWORD: 'password1234',
  }
  await assert.rejects(start(env), /MUSTER_BOOTSTRAP_ADMIN_PASSWORD: Choose a less common password/)
  assert.deepEqual(await admins(), [])
})

test('without the setting there is no administrator', async () => {
  assert.ok(await start({ MUSTER_BOOTSTRAP_ORGANIZATION: 'Acme' }))
  assert.deepEqual(await admins(), [])
})
