import { isEmailAddress } from '@muster/contract/email-address.ts'
import Type, { type Static } from 'typebox'
import { isWellFormedKey } from '../secrets/token-format.ts'
import * as rules from './value-rules.ts'

/** Annotations that JSON Schema does not have. `defaultText` is for a default that is computed. */
type Annotations = { description: string; default?: unknown; defaultText?: string; example?: string; secret?: boolean }

const text = (rule: (value: string) => boolean, fault: string, annotations: Annotations) =>
  Type.Optional(Type.Refine(Type.String(annotations), rule, () => fault))
const flag = (annotations: Annotations) => Type.Boolean({ default: false, ...annotations })
const headerNames = (annotations: Annotations & { default: string[] }) =>
  Type.Refine(Type.Array(Type.String(), annotations), rules.isHeaderNameList, () => 'must be header names, with commas')

/** Every environment variable that Muster reads: the only list of them. `secret` values are never shown. */
export const settings = Type.Object({
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 8080,
    description: 'Port to listen on; 0 picks a free one.',
  }),
  HOST: Type.Refine(
    Type.String({
      default: '127.0.0.1',
      description: 'Address to listen on. One that is not loopback needs TLS files or `MUSTER_TRUST_PROXY`.',
      example: '0.0.0.0',
    }),
    rules.isListenAddress,
    () => 'must be an IP address or a host name',
  ),
  DATABASE_URL: Type.Optional(
    Type.Refine(
      Type.String({
        description: 'PostgreSQL 15 or later. Without it, an embedded database lives in the data folder.',
        example: 'postgres://muster@db.example.com/muster',
        secret: true,
      }),
      (value) => rules.describePostgresUrlFault(value) === undefined,
      (value) => rules.describePostgresUrlFault(value) ?? '',
    ),
  ),
  MUSTER_DATABASE_POOL_SIZE: Type.Integer({
    minimum: 2,
    maximum: 500,
    default: 10,
    description:
      'How many connections each process keeps to PostgreSQL at most, not counting one that listens for notifications.',
  }),
  MUSTER_WORKER_HOST: Type.Refine(
    Type.String({
      default: '127.0.0.1',
      description: 'Address on which `muster worker` answers `/healthz`, `/readyz`, `/livez` and `/metrics`.',
      example: '0.0.0.0',
    }),
    rules.isListenAddress,
    () => 'must be an IP address or a host name',
  ),
  MUSTER_WORKER_PORT: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 8081,
    description: 'Port of these endpoints; 0 picks a free one. Two workers on one machine need two ports.',
  }),
  MUSTER_DRAIN_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 300,
    default: 5,
    description:
      'How long `muster serve` continues answering after SIGTERM while `/readyz` says 503, so that load balancers stop sending requests first. A second signal ends it at once.',
  }),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: 'Least severe level that is logged: fatal, error, warn, info, debug, trace or silent.',
  }),
  MUSTER_BASE_URL: text(rules.isOrigin, 'must be an http:// or https:// origin without path, query or user name', {
    description: 'Origin that people, agents and API clients use. Links are made with it, never with the Host header.',
    defaultText: '`http://localhost:<PORT>`; `https` when TLS files are set',
    example: 'https://trust.example.com',
  }),
  MUSTER_DATA_DIR: Type.String({
    minLength: 1,
    default: './data',
    description: 'Folder for the embedded database, the generated master key and the command socket.',
  }),
  MUSTER_TLS_CERT_FILE: Type.Optional(
    Type.String({
      description: 'PEM file of the certificate and its chain. Set both TLS files or neither.',
      example: '/etc/muster/tls.crt',
    }),
  ),
  MUSTER_TLS_KEY_FILE: Type.Optional(
    Type.String({ description: 'PEM file of the private key.', example: '/etc/muster/tls.key' }),
  ),
  MUSTER_TLS_CA_FILE: Type.Optional(
    Type.String({
      description:
        'PEM file of the authority that signed the certificate, where systems do not trust it. Installation packages carry it to devices.',
      example: '/etc/muster/ca.pem',
    }),
  ),
  MUSTER_TRUST_PROXY: Type.Refine(
    Type.String({
      default: 'false',
      description:
        'Believe X-Forwarded-* headers: of everyone (`true`), of nobody (`false`), or of a list of addresses.',
      example: '10.0.0.0/8,loopback',
    }),
    rules.isTrustProxy,
    () => 'must be true, false, or IP addresses, CIDR ranges, loopback, linklocal, uniquelocal, with commas',
  ),
  MUSTER_MASTER_KEY: text(
    (value) => rules.decodeMasterKey(value) !== undefined,
    'must be 32 bytes as base64 or hex (`openssl rand -base64 32` makes one)',
    {
      description: 'Seals and looks up every stored secret. Required with `DATABASE_URL`; keep a copy outside.',
      defaultText: 'generated in the data folder',
      secret: true,
    },
  ),
  MUSTER_RATE_LIMIT_PER_MINUTE: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 270,
    description: 'Requests that an API key may make in a minute, and those with the poll token of a stream alone.',
  }),
  MUSTER_METRICS_TOKEN: text(rules.isToken, 'must be printable characters without spaces', {
    description: 'Bearer token that `/metrics` asks for.',
    secret: true,
  }),
  MUSTER_ALLOW_PRIVATE_RECEIVERS: flag({
    description: 'Let webhooks and streams reach private addresses. For tests and laboratories only.',
  }),
  MUSTER_EGRESS_NAT64_PREFIXES: Type.Refine(
    Type.Array(Type.String(), {
      default: [],
      description:
        'IPv6 prefixes of 96 bits by which this network reaches IPv4 (NAT64). Receivers behind them are judged by their IPv4 address.',
      example: '64:ff9b::/96',
    }),
    rules.isNat64PrefixList,
    () => 'must be IPv6 prefixes of 96 bits, with commas, such as 64:ff9b::/96',
  ),
  MUSTER_EGRESS_SHARED_ADDRESSES: Type.Refine(
    Type.Array(Type.String(), {
      default: [],
      description:
        'Addresses of this server, its database or its base URL that webhooks and streams may call all the same, for example of a load balancer that also serves a receiver. Addresses or CIDR ranges.',
      example: '198.51.100.7',
    }),
    rules.isAddressList,
    () => 'must be IP addresses or CIDR ranges, with commas',
  ),
  MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: Type.Refine(
    Type.Array(Type.String(), {
      default: [],
      description:
        'Identity providers inside your network that people may sign in at before their device is checked, and callers that publish their keys there: host names, addresses or CIDR ranges. Nothing else inside is called for a sign-in.',
      example: 'keycloak.corp.example,10.20.0.0/16',
    }),
    rules.isHostList,
    () => 'must be host names, IP addresses or CIDR ranges, with commas',
  ),
  MUSTER_API_VERSION_HEADER_ALIASES: headerNames({
    default: ['x-kolide-api-version'],
    description: 'Header names read as `X-Service-Api-Version`, for existing clients of this API family.',
  }),
  MUSTER_POLL_TOKEN_HEADER_ALIASES: headerNames({
    default: ['x-kolide-poll-bearer-token'],
    description: 'Header names read as `X-Service-Poll-Bearer-Token`, for existing clients of this API family.',
  }),
  MUSTER_SSF_PATH_ISSUERS: flag({
    description:
      'Let organizations without a base address of their own have streams whose issuer is a path, `<MUSTER_BASE_URL>/ssf/<organization>`. Not every receiver takes one.',
  }),
  MUSTER_DEVICE_DELETION_DELAY_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 2_592_000,
    default: 120,
    description: 'How long a deleted device can still be restored before it is purged.',
  }),
  MUSTER_LIVE_QUERY_BLOCKED_TABLES: Type.Refine(
    Type.Array(Type.String(), {
      default: ['curl', 'process_envs', 'shell_history', 'carves'],
      description: 'osquery tables that no live query may read; `none` blocks none.',
    }),
    rules.isTableNameList,
    () => 'must be names of osquery tables, with commas, or none',
  ),
  MUSTER_OIDC_ISSUER: text(rules.isOidcIssuer, 'must be an https:// URL without query or user name', {
    description: 'OpenID Connect issuer through which administrators may sign in to the console.',
    example: 'https://id.example.com',
  }),
  MUSTER_OIDC_CLIENT_ID: text(rules.isToken, 'must be printable characters without spaces', {
    description: 'Client identifier that the issuer has given Muster.',
    example: 'muster',
  }),
  MUSTER_OIDC_CLIENT_SECRET: text(rules.isToken, 'must be printable characters without spaces', {
    description: 'Client secret that the issuer has given Muster.',
    secret: true,
  }),
  MUSTER_OIDC_NAME: Type.String({
    minLength: 1,
    maxLength: 50,
    default: 'single sign-on',
    description: 'What the console calls the issuer.',
    example: 'Example ID',
  }),
  MUSTER_BOOTSTRAP_ORGANIZATION: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'First start only: name of the organization to make.',
      example: 'Example Ltd',
    }),
  ),
  MUSTER_BOOTSTRAP_API_KEY: text(isWellFormedKey, 'must be a key from `muster keys generate`', {
    description: 'First start only: an API key with every permission, made by `muster keys generate`.',
    secret: true,
  }),
  MUSTER_BOOTSTRAP_ENROLL_SECRET: text(
    (value) => value.length >= 16 && value.length <= 255 && rules.isToken(value),
    'must be 16 to 255 printable characters without spaces',
    { description: 'First start only: an enrollment secret for agents.', secret: true },
  ),
  MUSTER_BOOTSTRAP_PERSON_EMAIL: text(isEmailAddress, 'must be an e-mail address', {
    description: 'First start only: the person whose devices the enrollment secret registers.',
    example: 'ada@example.com',
  }),
  MUSTER_BOOTSTRAP_ADMIN_EMAIL: text(isEmailAddress, 'must be an e-mail address', {
    description: 'First start only: e-mail address of the first administrator.',
    example: 'admin@example.com',
  }),
  MUSTER_BOOTSTRAP_ADMIN_PASSWORD: text((value) => value.length >= 12, 'must have at least 12 characters', {
    description: 'First start only: password of the first administrator.',
    secret: true,
  }),
})

export type SettingValues = Static<typeof settings>
