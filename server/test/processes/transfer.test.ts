import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { engine, testDatabase } from '../support/database.ts'
import { type MusterProcess, openPlace, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'

// From the embedded engine of a trial to another one, or to a server.
const target = engine === 'postgres' ? testDatabase() : undefined
const settings = {
  MUSTER_BASE_URL: 'https://trust.example.com',
  MUSTER_RATE_LIMIT_PER_MINUTE: '1000',
  // Who can sign in is shown no link, and no link is in the audit log.
  MUSTER_BOOTSTRAP_ADMIN_EMAIL: 'ada@acme.example',
  MUSTER_BOOTSTRAP_ADMIN_PASSWORD: 'correct horse battery staple',
}

const lists = ['devices', 'people', 'checks', 'issues', 'audit_logs', 'device_groups', 'devices/1/check_results']
const records = ['devices/1', 'people/1', 'checks/22', 'checks/22/configurations', 'whoami']

const bodiesOf = (server: MusterProcess, key: string) =>
  Promise.all(
    [...lists.map((list) => `/${list}?per_page=100`), ...records.map((record) => `/${record}`)].map(async (path) => {
      const { status, body } = await server.ask('GET', path, { key })
      assert.equal(status, 200, path)
      return { path, body }
    }),
  )

test('a trial moves to another installation, with its devices, keys and history', async () => {
  const trial = openPlace({ after }, settings)
  const old = await trial.start(['start', '--no-agent'])
  const permission = ['--permission', 'configure_checks', 'refresh_check', '--rationale', 'To move it.']
  const key = (await trial.run(['keys', 'create', 'Moving', ...permission])).out.trim()
  const nodeKey = await fillIn(old, key, join(trial.dataDir, 'enroll_secret'))

  const file = join(trial.dataDir, 'export.ndjson')
  const exported = await trial.run(['export', '--output', file])
  assert.deepEqual([exported.exit, exported.out], [0, ''], exported.err)
  const before = await bodiesOf(old, key)
  assert.equal(await old.stop(), 0)
  const text = await readFile(file, 'utf8')
  const masterKey = await trial.masterKey()
  assert.ok(!text.includes(key) && !text.includes(nodeKey) && !text.includes(masterKey), 'secrets stay sealed')

  const url = target?.url
  const next = openPlace({ after }, { ...settings, ...(url !== undefined && { DATABASE_URL: url }) })
  const foreign = await next.run(['import', '--input', file], { MUSTER_MASTER_KEY: 'ab'.repeat(32) })
  assert.equal(foreign.exit, 1)
  assert.match(foreign.err, /sealed with the master key .* set MUSTER_MASTER_KEY/)
  // As it has just been told, and into the same place.
  const withKey = { MUSTER_MASTER_KEY: masterKey }
  const imported = await next.run(['import'], withKey, text)
  assert.equal(imported.exit, 0, imported.err)
  const renewed = await next.start(['serve'], withKey)
  assert.deepEqual(await bodiesOf(renewed, key), before)
  await assertGoesOn(renewed, key, nodeKey)
  assert.equal(await renewed.stop(), 0)
})

/** To checks; the tables that it reports are empty. */
const answering = (status: 'PASS' | 'FAIL') => (sql: string) => ({
  rows: sql.includes('KOLIDE_CHECK_STATUS') ? [{ KOLIDE_CHECK_STATUS: status, mount_path: '/' }] : [],
})

/** A device that fails one blocking check; returns its node key. */
async function fillIn(server: MusterProcess, key: string, secretFile: string): Promise<string> {
  const body = { remediation_strategy: 'block_immediately' }
  assert.equal((await server.ask('PATCH', '/checks/22/configurations', { key, body })).status, 200)
  const client = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  try {
    await client.enroll((await readFile(secretFile, 'utf8')).trim())
    await client.answerAll(answering('FAIL'))
    // When devices were seen is written some seconds later: after the export it would be of this installation alone.
    const contactAtMs = Math.floor(Date.now() / 1_000) * 1_000
    await client.config()
    const lastSeen = async () => (await server.ask('GET', '/devices/1', { key })).body.last_seen_at
    await until(60_000, async () => Date.parse(await lastSeen()) >= contactAtMs, 250)
    return client.nodeKey
  } finally {
    client.close()
  }
}

/** The agent reports with the node key that it has, and what it reports counts. */
async function assertGoesOn(server: MusterProcess, key: string, nodeKey: string): Promise<void> {
  const state = async () => (await server.ask('GET', '/devices/1', { key })).body.auth_state
  assert.equal(await state(), 'Blocked')
  const client = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  try {
    client.nodeKey = nodeKey
    assert.ok((await client.config()).accepted)
    const refresh = await server.ask('POST', '/devices/1/check_refreshes', { key, body: { check_id: '22' } })
    assert.equal(refresh.status, 200)
    assert.equal(await client.answerAll(answering('PASS')), 1)
  } finally {
    client.close()
  }
  assert.equal(await state(), 'Good')
}
