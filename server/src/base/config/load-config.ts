import { resolve } from 'node:path'
import { ConfigError, type ConfigFault } from './config-error.ts'
import { hideSecrets } from './describe-config.ts'
import { parseEnvironment } from './parse-environment.ts'
import { listRemovedSettings } from './removed-settings.ts'
import type { SettingValues } from './settings.ts'
import { decodeBoolean, decodeMasterKey, isLoopbackHost, splitList } from './value-rules.ts'

export type LogLevel = SettingValues['LOG_LEVEL']

export type Config = Readonly<{
  host: string
  port: number
  /** Origin without a trailing slash. */
  baseUrl: string
  /** Absolute. */
  dataDir: string
  /** Undefined: the embedded database in `dataDir`. */
  databaseUrl: string | undefined
  /** At most, for each process. */
  databasePoolSize: number
  workerHost: string
  workerPort: number
  drainSeconds: number
  logLevel: LogLevel
  tls: Readonly<{ certFile: string; keyFile: string }> | undefined
  /** Absolute; undefined: systems trust the server's certificate. */
  tlsCaFile: string | undefined
  /** As Fastify's option of this name. */
  trustProxy: boolean | string[]
  /** 32 bytes; undefined: `openMasterKey` reads or makes the one in `dataDir`. */
  masterKey: Buffer | undefined
  rateLimitPerMinute: number
  metricsToken: string | undefined
  allowPrivateReceivers: boolean
  /** IPv6 ranges of 96 bits. */
  egressNat64Prefixes: readonly string[]
  /** IP addresses and CIDR ranges. */
  egressSharedAddresses: readonly string[]
  /** Host names in lower case, IP addresses and CIDR ranges. */
  privateIdentityProviders: readonly string[]
  /** Lower case. */
  apiVersionHeaderAliases: readonly string[]
  /** Lower case. */
  pollTokenHeaderAliases: readonly string[]
  /** Whether organizations without a base address of their own may have a path as the issuer of their streams. */
  ssfPathIssuers: boolean
  deviceDeletionDelaySeconds: number
  /** Lower case. */
  liveQueryBlockedTables: readonly string[]
  /** Undefined: nobody signs in through an identity provider. */
  oidc: Oidc | undefined
  bootstrap: Bootstrap
  /** Settings of earlier versions that are set and ignored, each with what to do. */
  removedSettings: readonly ConfigFault[]
}>

type Oidc = Readonly<{ issuer: string; clientId: string; clientSecret: string; name: string }>

/** What the first start makes, for installations without hands. Later starts ignore it. */
export type Bootstrap = Readonly<{
  organization: string | undefined
  apiKey: string | undefined
  enrollSecret: string | undefined
  personEmail: string | undefined
  adminEmail: string | undefined
  adminPassword: string | undefined
}>

/** Reads the environment once. Throws a ConfigError that lists every fault. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const { values, faults } = parseEnvironment(env)
  const faulty = new Set(faults.map(({ name }) => name))
  // A rule across settings says nothing new about one that is already faulty.
  faults.push(...faultsBetween(values).filter(({ name }) => !faulty.has(name)))
  if (faults.length > 0) throw new ConfigError(faults)
  return hideSecrets(toConfig(values, listRemovedSettings(env)))
}

/** The origin that links use when MUSTER_BASE_URL is not set. */
function defaultBaseUrl(port: number, isTls: boolean): string {
  return `${isTls ? 'https' : 'http'}://localhost:${port}`
}

function toConfig(values: SettingValues, removedSettings: readonly ConfigFault[]): Config {
  const { MUSTER_TLS_CERT_FILE: certFile, MUSTER_TLS_KEY_FILE: keyFile } = values
  const tls =
    certFile && keyFile ? Object.freeze({ certFile: resolve(certFile), keyFile: resolve(keyFile) }) : undefined
  const trustProxy = values.MUSTER_TRUST_PROXY
  return {
    host: values.HOST,
    port: values.PORT,
    baseUrl: values.MUSTER_BASE_URL?.replace(/\/$/, '') ?? defaultBaseUrl(values.PORT, tls !== undefined),
    dataDir: resolve(values.MUSTER_DATA_DIR),
    databaseUrl: values.DATABASE_URL,
    databasePoolSize: values.MUSTER_DATABASE_POOL_SIZE,
    workerHost: values.MUSTER_WORKER_HOST,
    workerPort: values.MUSTER_WORKER_PORT,
    drainSeconds: values.MUSTER_DRAIN_SECONDS,
    logLevel: values.LOG_LEVEL,
    tls,
    tlsCaFile: values.MUSTER_TLS_CA_FILE === undefined ? undefined : resolve(values.MUSTER_TLS_CA_FILE),
    trustProxy: decodeBoolean(trustProxy) ?? splitList(trustProxy),
    masterKey: values.MUSTER_MASTER_KEY === undefined ? undefined : decodeMasterKey(values.MUSTER_MASTER_KEY),
    rateLimitPerMinute: values.MUSTER_RATE_LIMIT_PER_MINUTE,
    metricsToken: values.MUSTER_METRICS_TOKEN,
    allowPrivateReceivers: values.MUSTER_ALLOW_PRIVATE_RECEIVERS,
    egressNat64Prefixes: Object.freeze(values.MUSTER_EGRESS_NAT64_PREFIXES),
    egressSharedAddresses: Object.freeze(values.MUSTER_EGRESS_SHARED_ADDRESSES),
    privateIdentityProviders: Object.freeze(values.MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS),
    apiVersionHeaderAliases: Object.freeze(values.MUSTER_API_VERSION_HEADER_ALIASES),
    pollTokenHeaderAliases: Object.freeze(values.MUSTER_POLL_TOKEN_HEADER_ALIASES),
    ssfPathIssuers: values.MUSTER_SSF_PATH_ISSUERS,
    deviceDeletionDelaySeconds: values.MUSTER_DEVICE_DELETION_DELAY_SECONDS,
    liveQueryBlockedTables: Object.freeze(values.MUSTER_LIVE_QUERY_BLOCKED_TABLES.filter((name) => name !== 'none')),
    oidc: toOidc(values),
    bootstrap: hideSecrets(toBootstrap(values)),
    removedSettings,
  }
}

function toOidc(values: SettingValues): Oidc | undefined {
  const {
    MUSTER_OIDC_ISSUER: issuer,
    MUSTER_OIDC_CLIENT_ID: clientId,
    MUSTER_OIDC_CLIENT_SECRET: clientSecret,
  } = values
  if (!issuer || !clientId || !clientSecret) return undefined
  return hideSecrets({ issuer, clientId, clientSecret, name: values.MUSTER_OIDC_NAME })
}

function toBootstrap(values: SettingValues): Bootstrap {
  return {
    organization: values.MUSTER_BOOTSTRAP_ORGANIZATION,
    apiKey: values.MUSTER_BOOTSTRAP_API_KEY,
    enrollSecret: values.MUSTER_BOOTSTRAP_ENROLL_SECRET,
    personEmail: values.MUSTER_BOOTSTRAP_PERSON_EMAIL,
    adminEmail: values.MUSTER_BOOTSTRAP_ADMIN_EMAIL,
    adminPassword: values.MUSTER_BOOTSTRAP_ADMIN_PASSWORD,
  }
}

function faultsBetween(values: SettingValues): ConfigFault[] {
  const faults: ConfigFault[] = []
  const needs = (name: keyof SettingValues, other: keyof SettingValues) => {
    if (values[name] && !values[other]) faults.push({ name: other, message: `is required with ${name}` })
  }
  needs('MUSTER_TLS_CERT_FILE', 'MUSTER_TLS_KEY_FILE')
  needs('MUSTER_TLS_KEY_FILE', 'MUSTER_TLS_CERT_FILE')
  needs('DATABASE_URL', 'MUSTER_MASTER_KEY')
  needs('MUSTER_BOOTSTRAP_PERSON_EMAIL', 'MUSTER_BOOTSTRAP_ENROLL_SECRET')
  needs('MUSTER_BOOTSTRAP_ADMIN_EMAIL', 'MUSTER_BOOTSTRAP_ADMIN_PASSWORD')
  needs('MUSTER_BOOTSTRAP_ADMIN_PASSWORD', 'MUSTER_BOOTSTRAP_ADMIN_EMAIL')
  needs('MUSTER_OIDC_ISSUER', 'MUSTER_OIDC_CLIENT_ID')
  needs('MUSTER_OIDC_CLIENT_ID', 'MUSTER_OIDC_CLIENT_SECRET')
  needs('MUSTER_OIDC_CLIENT_SECRET', 'MUSTER_OIDC_ISSUER')
  const isProtected = values.MUSTER_TLS_CERT_FILE !== undefined || decodeBoolean(values.MUSTER_TRUST_PROXY) !== false
  if (!isLoopbackHost(values.HOST) && !isProtected) {
    faults.push({
      name: 'HOST',
      message: 'is reachable from outside: set MUSTER_TLS_CERT_FILE and MUSTER_TLS_KEY_FILE, or MUSTER_TRUST_PROXY',
    })
  }
  return faults
}
