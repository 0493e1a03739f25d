import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { loadConfig } from '../../base/config/load-config.ts'
import { openMasterKey } from '../../base/config/master-key.ts'
import { startJobs } from '../../base/jobs/start-jobs.ts'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { startHeartbeat } from '../../health/worker-heartbeats.ts'
import { openCommandSocket } from '../command-socket.ts'
import { databaseFactsCommand } from '../commands/database-facts-command.ts'
import type { CommandIo } from '../data-command.ts'
import { openLanCertificate } from '../lan/lan-certificate.ts'
import { checkTls } from './check-tls.ts'
import { describeFinding } from './finding.ts'
import { checkConsole, runDoctor } from './run-doctor.ts'

const database = testDatabase()
const make = makeIn(database)

const io: CommandIo = {
  write: async () => {},
  line: async () => {},
  error: async () => {},
  input: (async function* () {})(),
  signal: new AbortController().signal,
}

async function makeEnvironment(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'muster-doctor-'))
  t.after(() => rm(folder, { recursive: true }))
  const dataDir = join(folder, 'data')
  return { dataDir, env: { MUSTER_DATA_DIR: dataDir } }
}

/** A server over the test database, as a running trial offers it. */
async function startServer(t: TestContext, dataDir: string) {
  const config = loadConfig({ MUSTER_DATA_DIR: dataDir })
  const secrets = openSecrets(await openMasterKey(config))
  const { connection } = database
  const now = '2026-11-20T10:00:00.000Z'
  const socket = await openCommandSocket({
    dataDir,
    commands: [databaseFactsCommand],
    context: () => ({ connection, secrets, config, now }),
  })
  t.after(() => socket.close())
  return secrets
}

const examine = async (env: NodeJS.ProcessEnv, clockMs = () => Date.now()) => {
  const findings = await runDoctor(env, io, clockMs)
  return Object.fromEntries(findings.map((finding) => [finding.name, describeFinding(finding)]))
}

async function own(fingerprint: string): Promise<void> {
  await database.reset()
  await database.db
    .insertInto('installation')
    .values({ master_key_fingerprint: fingerprint, created_at: '2026-11-20T10:00:00.000Z' })
    .execute()
}

test('an installation that was never started is well, and is not started by asking', async (t) => {
  const { env } = await makeEnvironment(t)
  const found = await examine(env)
  assert.equal(found['configuration'], '✓ configuration: valid, for a trial')
  assert.match(found['data folder'] ?? '', /^✓ .* not there yet$/)
  assert.match(found['database'] ?? '', /^✓ database: none yet/)
  assert.match((await examine(env))['data folder'] ?? '', /not there yet$/)
})

test('a running installation is asked through its socket', async (t) => {
  const { dataDir, env } = await makeEnvironment(t)
  const { fingerprint } = await startServer(t, dataDir)
  await own(fingerprint)
  const found = await examine(env)
  assert.match(found['database'] ?? '', /^✓ database: .*PostgreSQL 1\d\.\d+$/)
  assert.equal(found['migrations'], '✓ migrations: all applied')
  assert.equal(found['reporting queries'], '✓ reporting queries: run as the role muster_reports')
  assert.equal(found['clock'], '✓ clock: agrees with the database')
  assert.equal(found['master key'], `✓ master key: is the one of the database (fingerprint ${fingerprint})`)
})

test('a background that is silent and an audit log without its guard are found', async (t) => {
  const { dataDir, env } = await makeEnvironment(t)
  const { fingerprint } = await startServer(t, dataDir)
  await own(fingerprint)
  assert.match(
    (await examine(env))['background'] ?? '',
    /^! background: .*No worker is running/,
    'before the first one',
  )
  t.after(() => database.connection.executeScript('delete from pgboss.schedule'))
  const nightly = { cron: '0 0 1 1 *', run: async () => {} }
  const jobs = await startJobs(database.connection, { queued: {}, scheduled: { nightly }, onError: () => {} })
  await jobs.stop()
  assert.match((await examine(env))['background'] ?? '', /^✗ background: .*No worker is running/)
  const heartbeat = startHeartbeat(database.db)
  await heartbeat.beat()
  const found = await examine(env)
  assert.equal(found['background'], '✓ background: 1 working')
  assert.equal(found['audit log'], '✓ audit log: guarded against changes')
  const turn = (how: string) => database.connection.executeScript(`alter table audit_logs ${how}`)
  t.after(() => turn('enable trigger user'))
  for (const trigger of ['audit_logs_append_only', 'audit_logs_no_truncate']) {
    await turn(`disable trigger ${trigger}`)
    assert.match((await examine(env))['audit log'] ?? '', /^✗ audit log: a trigger that guards it is off/)
    await turn('enable trigger user')
  }
  assert.equal((await examine(env))['audit log'], '✓ audit log: guarded against changes')
})

test('a database that refuses writes is found, with the reason', async (t) => {
  const { dataDir, env } = await makeEnvironment(t)
  const { fingerprint } = await startServer(t, dataDir)
  await own(fingerprint)
  assert.equal((await examine(env))['writes'], '✓ writes: taken')
  t.after(() => database.connection.executeScript('drop trigger refuse_probe on write_probes'))
  for (const [code, reason] of [
    ['25006', 'it is set to read-only'],
    ['53100', 'its disk is full'],
  ]) {
    await database.connection.executeScript(`
      create or replace function refuse_probe() returns trigger language plpgsql as
        $$ begin raise exception 'refused' using errcode = '${code}'; end $$;
      create or replace trigger refuse_probe before insert on write_probes execute function refuse_probe()`)
    assert.equal((await examine(env))['writes'], `✗ writes: The database refuses writes: ${reason}.`)
  }
})

testOnPostgres('a database that is set to be read-only is found, and the rest is still told', async (t) => {
  const { env } = await makeEnvironment(t)
  const url = new URL(database.url ?? '')
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const settings = { DATABASE_URL: url.href, MUSTER_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
  const found = await examine({ ...env, ...settings, MUSTER_BASE_URL: 'https://trust.example.com' })
  assert.match(found['writes'] ?? '', /^✗ writes: The database refuses writes: .*set to read-only/)
  assert.equal(found['webhooks'], '✓ webhooks: no endpoints')
})

testOnPostgres('a server that is too old is found', async (t) => {
  const { env } = await makeEnvironment(t)
  await database.connection.executeScript(`
    create function public.current_setting(text) returns text language sql as $$
      select case $1 when 'server_version_num' then '140023' when 'server_version' then '14.23' end $$`)
  t.after(() => database.connection.executeScript('drop function public.current_setting(text)'))
  const url = new URL(database.url ?? '')
  url.searchParams.set('options', '-c search_path=public,pg_catalog')
  const settings = { DATABASE_URL: url.href, MUSTER_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
  const found = await examine({ ...env, ...settings, MUSTER_BASE_URL: 'https://trust.example.com' })
  assert.match(found['database'] ?? '', /^✗ database: .*is PostgreSQL 14\.23, but Muster needs 15 or later/)
})

test('a proxy that anyone can pretend to be is found', async (t) => {
  const { env } = await makeEnvironment(t)
  const proxied = (trust: string, host: string) =>
    examine({ ...env, MUSTER_TRUST_PROXY: trust, HOST: host }).then((found) => found['proxy'])
  assert.match((await proxied('true', '0.0.0.0')) ?? '', /^! proxy: .*forge the client address/)
  assert.equal(await proxied('10.0.0.0/8', '0.0.0.0'), undefined)
  assert.equal(await proxied('true', '127.0.0.1'), undefined)
})

test('a proxy that passes on what is no address is found', async (t) => {
  const { dataDir, env } = await makeEnvironment(t)
  const secrets = await startServer(t, dataDir)
  await own(secrets.fingerprint)
  const { id: organizationId } = await make.organization()
  const admin = await make.adminUser(organizationId)
  const now = new Date().toISOString()
  const begin = (id: number, address: string) =>
    database.db
      .insertInto('admin_sessions')
      .values({
        ...{ organization_id: organizationId, id: String(id), admin_user_id: admin.id, method: 'password' },
        ...{ ip_address: address, created_at: now, last_seen_at: now, verified_at: now },
      })
      .execute()
  await begin(1, '203.0.113.9')
  await begin(2, 'fe80::1%eth0')
  assert.equal((await examine(env))['client addresses'], undefined)
  await begin(3, 'client-7')
  assert.match((await examine(env))['client addresses'] ?? '', /X-Forwarded-For.*Let it write addresses/)
})

test('an identity provider that does not answer is found', async (t) => {
  const { env } = await makeEnvironment(t)
  const oidc = { MUSTER_OIDC_CLIENT_ID: 'muster', MUSTER_OIDC_CLIENT_SECRET: 'secret-of-the-client' }
  const found = await examine({ ...env, ...oidc, MUSTER_OIDC_ISSUER: 'http://127.0.0.1:1' })
  assert.match(found['single sign-on'] ?? '', /^✗ single sign-on: http:\/\/127\.0\.0\.1:1 cannot be used/)
  assert.equal((await examine(env))['single sign-on'], undefined)
})

test('a console that is not built is found', async () => {
  const [finding] = await checkConsole(() => false)
  assert.equal(
    finding && describeFinding(finding),
    '✗ console: is not built: run `npm run build -w console`, then restart the server',
  )
})

test('streams that fail are told one by one, and how many more', async (t) => {
  const { dataDir, env } = await makeEnvironment(t)
  const { fingerprint } = await startServer(t, dataDir)
  await own(fingerprint)
  const asked = async (more: NodeJS.ProcessEnv = {}) =>
    (await runDoctor({ ...env, ...more }, io, () => Date.now()))
      .filter(({ name }) => ['streams', 'signing key', 'private receivers'].includes(name))
      .map(describeFinding)
  assert.deepEqual(await asked(), ['✓ streams: none', '✓ signing key: none yet: the first start makes it'])

  const { id: organizationId } = await make.organization()
  const url = 'https://receiver.example.test/events'
  for (let number = 1; number <= 7; number += 1) {
    const { id } = await make.stream(organizationId, { name: `Receiver ${number}\u001b[2J`, endpoint_url: url })
    await database.db
      .updateTable('ssf_stream_deliveries')
      .set({ failing_since: `2026-11-0${number}T00:00:00.000Z`, last_error: 'The receiver answered 503' })
      .where('stream_id', '=', id)
      .execute()
  }
  await make.stream(organizationId, { name: 'Polled' })
  const now = new Date().toISOString()
  const ring = { organization_id: organizationId, purpose: 'signals' as const }
  const key = { ...ring, kid: 'k', sealed_private_key: Buffer.alloc(1), public_jwk: '{}', created_at: now }
  await database.db
    .insertInto('signing_keys')
    .values({ ...key, active_from: '2025-01-01T00:00:00.000Z' })
    .execute()
  const found = await asked({ MUSTER_ALLOW_PRIVATE_RECEIVERS: 'true' })
  assert.equal(found.filter((line) => line.startsWith('✓')).length, 0)
  assert.match(
    found[0] ?? '',
    /^! streams: "Receiver 1\u{FFFD}\[2J" \(\d+\) fails since 2026-11-01T00:00:00\.000Z: The receiver answered 503$/u,
  )
  assert.deepEqual(
    found.slice(5).map((line) => line.slice(0, 70)),
    [
      '! streams: 2 more fail',
      '! streams: 1 cannot be polled: rotate a poll token in',
      '! signing key: signs since 2025-01-01T00:00:00.000Z: rotate it once a ',
      '! streams: MUSTER_BASE_URL is http://localhost:8080: receivers ask for',
      '! private receivers: MUSTER_ALLOW_PRIVATE_RECEIVERS is on: anyone who ',
    ],
  )

  await database.db.updateTable('ssf_streams').set({ status: 'paused' }).execute()
  await database.db.updateTable('signing_keys').set({ active_from: now }).execute()
  const trusted = { MUSTER_BASE_URL: 'https://trust.example.test', MUSTER_TRUST_PROXY: 'true' }
  assert.deepEqual(await asked(trusted), [
    '✓ streams: 8, none in trouble',
    `✓ signing key: signs the events of streams since ${now}`,
  ])
})

test('webhook endpoints that fail or were disabled by the service are told one by one, and how many more', async (t) => {
  const { dataDir, env } = await makeEnvironment(t)
  const { fingerprint } = await startServer(t, dataDir)
  await own(fingerprint)
  const asked = async () =>
    (await runDoctor(env, io, () => Date.now())).filter(({ name }) => name === 'webhooks').map(describeFinding)
  assert.deepEqual(await asked(), ['✓ webhooks: no endpoints'])
  const { id: organizationId } = await make.organization()
  const day = (number: number) => `2026-11-0${number}T00:00:00.000Z`
  const add = (columns: Parameters<typeof make.webhookEndpoint>[1]) =>
    make.webhookEndpoint(organizationId, { url: 'https://acme.example/secret', ...columns })
  await add({})
  await add({ disabled_at: day(1), disabled_reason: 'by_admin' })
  assert.deepEqual(await asked(), ['✓ webhooks: 2 endpoints, none in trouble'])
  const failing = await add({})
  const tired = await add({ disabled_at: day(3), disabled_reason: 'failing' })
  const gone = await add({ disabled_at: day(2), disabled_reason: 'gone' })
  await add({ disabled_at: day(1), disabled_reason: 'gone', deleted_at: day(1) })
  await database.db
    .updateTable('webhook_standings')
    .set({ failing_since: day(1), last_error: 'It answered\u001b[2J 503' })
    .where('endpoint_id', 'in', [failing.id, tired.id])
    .execute()
  assert.deepEqual(await asked(), [
    `! webhooks: endpoint ${failing.id} (acme.example) fails since ${day(1)}: It answered\u{FFFD}[2J 503`,
    `! webhooks: endpoint ${gone.id} (acme.example) was disabled at ${day(2)}: it answered that it is gone`,
    `! webhooks: endpoint ${tired.id} (acme.example) was disabled at ${day(3)}, after failing for days: It answered\u{FFFD}[2J 503`,
  ])
  for (let number = 4; number <= 6; number += 1) await add({ disabled_at: day(number), disabled_reason: 'gone' })
  const found = await asked()
  assert.deepEqual([found.length, found.at(-1)], [6, '! webhooks: and 1 more in trouble'])
})

test('another master key, a clock that is off and an open folder are found', async (t) => {
  const { dataDir, env } = await makeEnvironment(t)
  await startServer(t, dataDir)
  await own('0123456789abcdef')
  await chmod(dataDir, 0o755)
  const found = await examine(env, () => Date.now() + 60_000)
  assert.match(found['master key'] ?? '', /^✗ .*belongs to 0123456789abcdef$/)
  assert.match(found['clock'] ?? '', /^✗ clock: (59|60)\.\d s apart/)
  assert.match(found['data folder'] ?? '', /^✗ .*chmod go= /)
})

test('a missing master key file is found, and not made again', async (t) => {
  const { dataDir, env } = await makeEnvironment(t)
  await startServer(t, dataDir)
  await own('0123456789abcdef')
  await rm(join(dataDir, 'master.key'))
  assert.match((await examine(env))['master key'] ?? '', /^✗ .*master\.key is missing: restore it/)
})

test('faults of the configuration are all listed and nothing else is tried', async () => {
  const findings = await runDoctor({ PORT: 'x', MUSTER_DATADIR: '/nowhere' }, io, () => 0)
  assert.deepEqual(findings.map(describeFinding), [
    '✗ configuration: MUSTER_DATADIR is not a setting; did you mean MUSTER_DATA_DIR?',
    '✗ configuration: PORT must be a whole number',
  ])
})

test('a database that cannot be reached is a finding and not a crash', async (t) => {
  const { env } = await makeEnvironment(t)
  const found = await examine({
    ...env,
    DATABASE_URL: 'postgres://nobody:planted@127.0.0.1:1/none',
    MUSTER_MASTER_KEY: Buffer.alloc(32).toString('hex'),
  })
  assert.match(found['database'] ?? '', /^✗ database: Cannot open the database: .*ECONNREFUSED/)
  assert.ok(!JSON.stringify(found).includes('planted'))
})

test('TLS files are judged by key, dates and the name of the base URL', async (t) => {
  const { dataDir } = await makeEnvironment(t)
  const now = new Date().toISOString()
  const names = { hosts: ['trust.example.com'], addresses: ['192.168.7.20'] }
  const { certFile, keyFile } = await openLanCertificate(dataDir, names, now)
  const judged = async (env: NodeJS.ProcessEnv, days = 0) => {
    const config = loadConfig({ MUSTER_TLS_CERT_FILE: certFile, MUSTER_TLS_KEY_FILE: keyFile, ...env })
    return (await checkTls(config, Date.parse(now) + days * 86_400_000)).map(describeFinding).join()
  }
  const fitting = { MUSTER_BASE_URL: 'https://trust.example.com:8443' }
  assert.match(await judged(fitting), /^✓ TLS: the certificate for trust\.example\.com is valid for 396 days$/)
  assert.match(await judged({ MUSTER_BASE_URL: 'https://192.168.7.20' }), /^✓/)
  assert.match(await judged({ MUSTER_BASE_URL: 'https://other.example.com' }), /^✗ .*not for other\.example\.com/)
  assert.match(await judged({ MUSTER_BASE_URL: 'http://trust.example.com' }), /^✗ .*speaks HTTPS/)
  assert.match(await judged(fitting, 390), /^! .*valid for 6 days$/)
  assert.match(await judged(fitting, 400), /^✗ .*expired/)
  assert.match(await judged(fitting, -1), /^✗ .*valid only from/)
  assert.match(await judged({ ...fitting, MUSTER_TLS_KEY_FILE: join(dataDir, 'lan-ca.key') }), /^✗ .*is not the key of/)
})

test('without TLS files the base URL and the proxy are judged', async () => {
  const judged = async (env: NodeJS.ProcessEnv) => (await checkTls(loadConfig(env), 0)).map(describeFinding).join()
  assert.match(await judged({}), /^✓ TLS: none, for this machine only/)
  assert.match(await judged({ MUSTER_BASE_URL: 'https://a.example.com', MUSTER_TRUST_PROXY: 'true' }), /^✓ .*proxy/)
  assert.match(await judged({ MUSTER_BASE_URL: 'https://a.example.com' }), /^✗/)
  assert.match(await judged({ MUSTER_BASE_URL: 'http://a.example.com' }), /^! .*refuses/)
})

test('a data folder that is a file is found', async (t) => {
  const { dataDir, env } = await makeEnvironment(t)
  await mkdir(join(dataDir, '..'), { recursive: true })
  await writeFile(dataDir, '')
  assert.match((await examine(env))['data folder'] ?? '', /^✗ /)
})
