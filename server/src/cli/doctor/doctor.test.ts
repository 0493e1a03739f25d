import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { loadConfig } from '../../config/load-config.ts'
import { openMasterKey } from '../../config/master-key.ts'
import { openSecrets } from '../../secrets/secrets.ts'
import { openCommandSocket } from '../command-socket.ts'
import { databaseFactsCommand } from '../commands/database-facts-command.ts'
import type { CommandIo } from '../data-command.ts'
import { openLanCertificate } from '../lan/lan-certificate.ts'
import { checkTls } from './check-tls.ts'
import { describeFinding, runDoctor } from './run-doctor.ts'

const database = testDatabase()

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

test('a missing master key file is found, and not made anew', async (t) => {
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
