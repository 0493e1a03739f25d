import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { generateKey } from '../secrets/token-format.ts'
import { ConfigError } from './config-error.ts'
import { loadConfig } from './load-config.ts'
import { withSettingsTable } from './settings-block.ts'
import { listSettings, settingsTable } from './settings-table.ts'

const faultsOf = (env: NodeJS.ProcessEnv) => {
  try {
    loadConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ name, message }) => `${name} ${message}`)
    throw error
  }
  return []
}

const masterKey = randomBytes(32)
const planted = {
  DATABASE_URL: 'postgres://muster:planted-database@db.example.com/muster?sslpassword=planted-option',
  MUSTER_MASTER_KEY: masterKey.toString('base64'),
  MUSTER_METRICS_TOKEN: 'planted-metrics-token',
  MUSTER_OIDC_ISSUER: 'https://id.example.com/tenant',
  MUSTER_OIDC_CLIENT_ID: 'muster',
  MUSTER_OIDC_CLIENT_SECRET: 'planted-client-secret',
  MUSTER_BOOTSTRAP_API_KEY: generateKey(),
  MUSTER_BOOTSTRAP_ENROLL_SECRET: 'planted-enroll-secret',
  MUSTER_BOOTSTRAP_ADMIN_EMAIL: 'admin@example.com',
  MUSTER_BOOTSTRAP_ADMIN_PASSWORD: 'planted-admin-password',
}
/** What has to be set with a secret. */
const besideSecrets = ['MUSTER_BOOTSTRAP_ADMIN_EMAIL', 'MUSTER_OIDC_ISSUER', 'MUSTER_OIDC_CLIENT_ID']
const plantedTexts = [
  'planted-',
  planted.MUSTER_MASTER_KEY,
  masterKey.toString('hex'),
  masterKey.toString('hex').slice(0, 16).match(/../g)?.join(' ') ?? '',
  planted.MUSTER_BOOTSTRAP_API_KEY,
]

test('an empty environment is a trial on loopback with the embedded database', () => {
  assert.deepEqual(
    { ...loadConfig({}), bootstrap: {} },
    {
      host: '127.0.0.1',
      port: 8080,
      baseUrl: 'http://localhost:8080',
      dataDir: resolve('data'),
      databaseUrl: undefined,
      databasePoolSize: 10,
      workerHost: '127.0.0.1',
      workerPort: 8081,
      drainSeconds: 5,
      logLevel: 'info',
      tls: undefined,
      tlsCaFile: undefined,
      trustProxy: false,
      masterKey: undefined,
      rateLimitPerMinute: 270,
      metricsToken: undefined,
      allowPrivateReceivers: false,
      egressNat64Prefixes: [],
      egressSharedAddresses: [],
      privateIdentityProviders: [],
      apiVersionHeaderAliases: ['x-kolide-api-version'],
      pollTokenHeaderAliases: ['x-kolide-poll-bearer-token'],
      ssfPathIssuers: false,
      deviceDeletionDelaySeconds: 120,
      liveQueryBlockedTables: ['curl', 'process_envs', 'shell_history', 'carves'],
      oidc: undefined,
      bootstrap: {},
      removedSettings: [],
    },
  )
})

test('a full environment is decoded', () => {
  const config = loadConfig({
    ...planted,
    PORT: '8443',
    HOST: '0.0.0.0',
    MUSTER_TLS_CERT_FILE: '/etc/muster/tls.crt',
    MUSTER_TLS_KEY_FILE: '/etc/muster/tls.key',
    MUSTER_TRUST_PROXY: '10.0.0.0/8, loopback',
    MUSTER_ALLOW_PRIVATE_RECEIVERS: 'TRUE',
    MUSTER_API_VERSION_HEADER_ALIASES: 'X-Version, x-other',
    MUSTER_POLL_TOKEN_HEADER_ALIASES: 'X-Poll',
    MUSTER_DEVICE_DELETION_DELAY_SECONDS: '0',
    MUSTER_BOOTSTRAP_ORGANIZATION: 'Example Ltd',
    MUSTER_BOOTSTRAP_PERSON_EMAIL: 'ada@example.com',
  })
  assert.equal(config.baseUrl, 'https://localhost:8443')
  assert.deepEqual(config.tls, { certFile: '/etc/muster/tls.crt', keyFile: '/etc/muster/tls.key' })
  assert.deepEqual(config.trustProxy, ['10.0.0.0/8', 'loopback'])
  assert.equal(config.allowPrivateReceivers, true)
  assert.deepEqual(config.apiVersionHeaderAliases, ['x-version', 'x-other'])
  assert.deepEqual(config.pollTokenHeaderAliases, ['x-poll'])
  assert.equal(config.deviceDeletionDelaySeconds, 0)
  assert.deepEqual(config.masterKey, masterKey)
  assert.deepEqual(
    { ...config.oidc },
    {
      issuer: 'https://id.example.com/tenant',
      clientId: 'muster',
      clientSecret: 'planted-client-secret',
      name: 'single sign-on',
    },
  )
  assert.deepEqual(
    { ...config.bootstrap },
    {
      organization: 'Example Ltd',
      apiKey: planted.MUSTER_BOOTSTRAP_API_KEY,
      enrollSecret: 'planted-enroll-secret',
      personEmail: 'ada@example.com',
      adminEmail: 'admin@example.com',
      adminPassword: 'planted-admin-password',
    },
  )
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.bootstrap))
})

test('an empty variable is an absent one', () => {
  assert.equal(loadConfig({ PORT: '', DATABASE_URL: ' ', MUSTER_TLS_CERT_FILE: '' }).port, 8080)
})

test('a database URL names one host, and asks for no standby', () => {
  const faultOf = (url: string) => faultsOf({ DATABASE_URL: url, MUSTER_MASTER_KEY: planted.MUSTER_MASTER_KEY })
  for (const url of [
    'postgres://u:p,w@db.example.com:5432/muster?target_session_attrs=read-write&options=-c%20search_path%3Da,b',
    'postgresql://db.example.com/muster?target_session_attrs=primary',
    'postgres://db.example.com/muster?target_session_attrs=any',
    'postgres:///muster?host=/var/run/postgresql',
  ]) {
    assert.deepEqual(faultOf(url), [], url)
  }
  for (const url of [
    'postgres://u:p@a:5432,b:5432/muster?target_session_attrs=read-write',
    'postgresql://u@a,b/muster',
    'postgres:///muster?host=a,b',
    'postgres://a/muster?port=5432,5433',
  ]) {
    assert.match(
      faultOf(url).join(),
      /^DATABASE_URL must name one host: an address that always leads to the primary/,
      url,
    )
  }
  for (const wanted of ['standby', 'read-only', 'prefer-standby']) {
    assert.match(
      faultOf(`postgres://db.example.com/muster?target_session_attrs=${wanted}`).join(),
      /^DATABASE_URL must not ask for a standby: .* leave target_session_attrs out/,
    )
  }
})

test('all faults are reported together, each setting once', () => {
  assert.deepEqual(
    faultsOf({
      PORT: '80a',
      HOST: '0.0.0.0',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://db',
      MUSTER_TLS_KEY_FILE: 'key.pem',
      MUSTER_ALLOW_PRIVATE_RECEIVERS: 'maybe',
      MUSTER_RATE_LIMIT_PER_MINUTE: '0',
      MUSTER_RATELIMIT_PER_MINUTE: '10',
      MUSTER_BOOTSTRAP_PERSON_EMAIL: 'ada',
    }),
    [
      'MUSTER_RATELIMIT_PER_MINUTE is not a setting; did you mean MUSTER_RATE_LIMIT_PER_MINUTE?',
      'PORT must be a whole number',
      'DATABASE_URL must be a postgres:// or postgresql:// URL',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
      'MUSTER_RATE_LIMIT_PER_MINUTE must be at least 1',
      'MUSTER_ALLOW_PRIVATE_RECEIVERS must be true or false',
      'MUSTER_BOOTSTRAP_PERSON_EMAIL must be an e-mail address',
      'MUSTER_TLS_CERT_FILE is required with MUSTER_TLS_KEY_FILE',
      'MUSTER_MASTER_KEY is required with DATABASE_URL',
      'MUSTER_BOOTSTRAP_ENROLL_SECRET is required with MUSTER_BOOTSTRAP_PERSON_EMAIL',
      'HOST is reachable from outside: set MUSTER_TLS_CERT_FILE and MUSTER_TLS_KEY_FILE, or MUSTER_TRUST_PROXY',
    ].sort((one, other) => orderOf(one) - orderOf(other)),
  )
})

/** Faults of names first, then of single values in the order of the schema, then of values together. */
function orderOf(fault: string): number {
  const name = fault.split(' ')[0] ?? ''
  if (fault.includes('is not a setting')) return -1
  const together = fault.includes('is required with') ? 100 : fault.includes('is reachable') ? 200 : 0
  return together || listSettings().findIndex(([listed]) => listed === name)
}

test('an unknown name with no near one is refused plainly; names of the test suites and of clients are let through', () => {
  const env = { MUSTER_ZEBRA_CROSSING_COLOUR: '1', MUSTER_TEST_DATABASE_URL: 'x', MUSTER_API_KEY: 'mstr_v1_x' }
  assert.deepEqual(faultsOf(env), ['MUSTER_ZEBRA_CROSSING_COLOUR is not a setting'])
})

test('a setting of an earlier version is ignored, and said to be', () => {
  const { removedSettings } = loadConfig({ MUSTER_SSF_POLL_WITH_API_KEY: 'true' })
  assert.deepEqual(
    removedSettings.map(({ name }) => name),
    ['MUSTER_SSF_POLL_WITH_API_KEY'],
  )
  assert.match(removedSettings[0]?.message ?? '', /was removed and is ignored: .* Remove the setting$/)
})

test('a host that is reachable from outside needs TLS or a proxy', () => {
  for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost']) assert.deepEqual(faultsOf({ HOST: host }), [])
  for (const host of ['0.0.0.0', '::', '192.168.1.2', 'trust.example.com', '127.evil.example']) {
    assert.equal(faultsOf({ HOST: host }).length, 1, host)
    assert.deepEqual(faultsOf({ HOST: host, MUSTER_TRUST_PROXY: 'true' }), [], host)
    assert.deepEqual(faultsOf({ HOST: host, MUSTER_TLS_CERT_FILE: 'c', MUSTER_TLS_KEY_FILE: 'k' }), [], host)
  }
  assert.equal(faultsOf({ HOST: '0.0.0.0', MUSTER_TRUST_PROXY: 'false' }).length, 1)
})

test('a base URL is an origin; a trailing slash is dropped', () => {
  assert.equal(loadConfig({ MUSTER_BASE_URL: 'https://trust.example.com/' }).baseUrl, 'https://trust.example.com')
  for (const url of ['trust.example.com', 'ftp://a', 'https://a/b', 'https://a/?q', 'https://u:p@a', 'https://a#f']) {
    assert.deepEqual(
      faultsOf({ MUSTER_BASE_URL: url }),
      ['MUSTER_BASE_URL must be an http:// or https:// origin without path, query or user name'],
      url,
    )
  }
})

test('a trusted proxy is true, false or a list of addresses', () => {
  for (const good of ['true', 'false', '10.1.2.3', '::1/64', 'loopback,10.0.0.0/8', 'uniquelocal, linklocal']) {
    assert.deepEqual(faultsOf({ MUSTER_TRUST_PROXY: good }), [], good)
  }
  for (const bad of ['proxy', '10.0.0.0/33', '10.0.0', '10.0.0.0/8/8', '::1/129', '10.0.0.0/']) {
    assert.equal(faultsOf({ MUSTER_TRUST_PROXY: bad }).length, 1, bad)
  }
})

test('a master key is 32 bytes as base64, base64url or hex', () => {
  for (const text of [masterKey.toString('base64'), masterKey.toString('base64url'), masterKey.toString('hex')]) {
    assert.deepEqual(loadConfig({ MUSTER_MASTER_KEY: text }).masterKey, masterKey)
  }
  for (const text of [randomBytes(31).toString('base64'), randomBytes(33).toString('hex'), 'x'.repeat(32)]) {
    assert.equal(faultsOf({ MUSTER_MASTER_KEY: text }).length, 1)
  }
})

test('no secret value shows in a fault, a description, an inspection or JSON', () => {
  const config = loadConfig(planted)
  const shown = [inspect(config, { depth: 9 }), JSON.stringify(config)]
  const broken = Object.fromEntries(Object.entries(planted).map(([name, value]) => [name, `${value} planted-\u0000`]))
  for (const text of [...shown, ...faultsOf({ ...broken, PORT: 'x' })]) {
    for (const secret of plantedTexts) assert.ok(!text.includes(secret), `${secret} in ${text}`)
  }
  assert.ok(shown.every((text) => text.includes('db.example.com') && text.includes('[secret]')))
})

test('every setting that is marked secret has a planted value above', () => {
  const secret = listSettings().flatMap(([name, { secret }]) => (secret ? [name] : []))
  assert.deepEqual(
    secret,
    Object.keys(planted).filter((name) => !besideSecrets.includes(name)),
  )
})

test('the table has one row for every setting, each with a description', () => {
  const rows = settingsTable().split('\n').slice(2)
  assert.deepEqual(
    rows.map((row) => row.split('`')[1]),
    listSettings().map(([name]) => name),
  )
  for (const row of rows) assert.doesNotMatch(row, /undefined|\|\s*\|$/)
})

test('the settings in docs/configuration.md are those of the schema', async () => {
  const page = await readFile(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')
  assert.equal(page, withSettingsTable(page), 'npm run docs writes it')
})

test('a settings block is replaced between its markers and nowhere else', () => {
  const updated = withSettingsTable('a\n<!-- settings:start -->\nold $1\n<!-- settings:end -->\nb')
  assert.equal(updated, `a\n<!-- settings:start -->\n${settingsTable()}\n<!-- settings:end -->\nb`)
  assert.equal(withSettingsTable('no block'), undefined)
})

test('identity providers inside are host names, addresses or ranges', () => {
  const name = 'MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS'
  const admitted = (text: string) => loadConfig({ [name]: text }).privateIdentityProviders
  assert.deepEqual(admitted('Keycloak.corp, 10.20.0.0/16,::1'), ['keycloak.corp', '10.20.0.0/16', '::1'])
  for (const text of ['https://keycloak.corp', '10.0.0.0/33', '10.0.0', '*', 'a..b', '-a']) {
    assert.equal(faultsOf({ [name]: text }).length, 1, text)
  }
})

test('the blocked tables of live queries are names in any case, or none', () => {
  const blocked = (text: string) => loadConfig({ MUSTER_LIVE_QUERY_BLOCKED_TABLES: text }).liveQueryBlockedTables
  assert.deepEqual(blocked('Curl, my_table'), ['curl', 'my_table'])
  assert.deepEqual(blocked('none'), [])
  for (const text of ['curl;users', 'none,curl', '"curl"']) assert.throws(() => blocked(text), /osquery tables/)
})

test('an issuer is asked over TLS, but for one on this machine, and comes with its client', () => {
  const client = { MUSTER_OIDC_CLIENT_ID: 'muster', MUSTER_OIDC_CLIENT_SECRET: 'secret' }
  for (const issuer of ['https://id.example.com', 'https://id.example.com/tenant/v2.0', 'http://127.0.0.1:3000']) {
    assert.deepEqual(faultsOf({ ...client, MUSTER_OIDC_ISSUER: issuer }), [], issuer)
  }
  const fault = 'MUSTER_OIDC_ISSUER must be an https:// URL without query or user name'
  for (const issuer of [
    'http://id.example.com',
    'https://me@id.example.com',
    'https://id.example.com/?a',
    'id.example.com',
  ]) {
    assert.deepEqual(faultsOf({ ...client, MUSTER_OIDC_ISSUER: issuer }), [fault], issuer)
  }
  assert.deepEqual(faultsOf({ MUSTER_OIDC_ISSUER: 'https://id.example.com' }), [
    'MUSTER_OIDC_CLIENT_ID is required with MUSTER_OIDC_ISSUER',
  ])
})
