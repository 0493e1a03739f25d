/** What every feature stands on. */
const ground = [
  ...['lists', 'jobs', 'outbound', 'osquery-sql', 'secrets', 'db', 'http/links.ts', 'retention.ts', 'errors.ts'],
  ...['time.ts', 'storable.ts'],
  'describe-fault.ts',
  'clock.ts',
]

/**
 * Read top to bottom: a folder (or a file of server/src) may import itself and what is listed beside it, nothing else.
 * A new arrow is one line here, for a reviewer to see.
 */
export const featureArrows: Readonly<Record<string, readonly string[]>> = {
  packages: ['agents', 'organizations', 'audit', ...ground],
  'device-merges': ['agents', 'registrations', 'groups', 'checks', 'devices', 'people', 'audit', ...ground],
  agents: [
    ...['live-queries', 'reporting', 'registrations', 'checks', 'issues', 'devices', 'people', 'organizations'],
    ...['events', 'audit', ...ground],
  ],
  scim: ['registrations', 'groups', 'people', 'organizations', 'api-keys', 'audit', ...ground],
  requests: ['registrations', 'checks', 'issues', 'devices', 'people', 'organizations', 'events', 'audit', ...ground],
  'auth-logs': ['issues', 'devices', 'people', 'events', 'audit', ...ground],
  'live-queries': ['devices', 'audit', ...ground],
  reporting: ['checks', 'issues', 'devices', 'people', 'audit', ...ground],
  drafts: ['checks', 'organizations', 'audit', ...ground],
  'compliance-days': ['devices', ...ground],
  'console-live': [...ground],
  'saved-views': ['audit', ...ground],
  'console-access': [
    ...[
      'packages',
      'agents',
      'scim',
      'saved-views',
      'console-live',
      'admin-users',
      'api-keys',
      'organizations',
      'audit',
    ],
    ...ground,
  ],
  'console-views': [
    ...['drafts', 'requests', 'registrations', 'auth-logs', 'live-queries', 'reporting', 'groups'],
    ...['compliance-days', 'devices', 'checks', 'organizations'],
    ...['issues', 'people', 'streams', 'webhooks', 'webhook-ledger', 'audit', ...ground],
  ],
  'admin-users': ['events', 'audit', ...ground],
  registrations: ['groups', 'live-queries', 'checks', 'issues', 'devices', 'people', 'events', 'audit', ...ground],
  groups: ['checks', 'issues', 'devices', 'people', 'events', 'audit', ...ground],
  checks: ['issues', 'devices', 'people', 'events', 'audit', ...ground],
  issues: ['devices', 'people', 'events', 'audit', ...ground],
  devices: ['people', 'events', 'audit', ...ground],
  people: ['audit', ...ground],
  'api-keys': ['audit', ...ground],
  organizations: ['devices', 'audit', ...ground],
  webhooks: ['audit', 'webhook-ledger', ...ground],
  events: ['streams', 'webhook-ledger', ...ground],
  // For what a secret looks like.
  streams: ['api-keys', 'audit', ...ground],
  audit: ['webhook-ledger', ...ground],
  // Below the audit log, whose entries are told as well.
  'webhook-ledger': [...ground],
}

const features = Object.keys(featureArrows)

export const groundArrows: Readonly<Record<string, readonly string[]>> = {
  'main.ts': [
    'app.ts',
    'worker.ts',
    'first-start.ts',
    'open-deployment.ts',
    'health',
    'http',
    'logging.ts',
    'config',
    ...features,
    ...ground,
  ],
  cli: [
    'main.ts',
    'app.ts',
    'worker.ts',
    'open-deployment.ts',
    'upgrade-database.ts',
    'prepared-folder.ts',
    'health',
    'http',
    'logging.ts',
    'config',
    ...features,
    ...ground,
  ],
  'first-start.ts': ['config', ...features, ...ground],
  'open-deployment.ts': ['prepared-folder.ts', 'upgrade-database.ts', 'config', ...ground],
  'prepared-folder.ts': ['upgrade-database.ts', 'db'],
  'upgrade-database.ts': ['db', 'jobs'],
  'app.ts': ['http', 'health', 'logging.ts', 'config', ...features, ...ground],
  'worker.ts': ['health', 'logging.ts', 'config', ...features, ...ground],
  http: ['api-keys', 'audit', 'organizations', 'logging.ts', 'config', ...ground],
  // How the deployment stands, for operators.
  health: ['jobs', 'db'],
  jobs: ['db', 'logging.ts', 'errors.ts', 'clock.ts'],
  lists: ['db', 'errors.ts'],
  secrets: ['db', 'errors.ts'],
  'osquery-sql': ['errors.ts'],
  outbound: ['logging.ts', 'errors.ts', 'clock.ts'],
  // For what a key looks like.
  config: ['api-keys'],
  db: ['clock.ts'],
  // Pure, and the one part of the http kit that present may know.
  'http/links.ts': [],
  'retention.ts': ['time.ts'],
  'logging.ts': ['clock.ts'],
  'errors.ts': [],
  'describe-fault.ts': [],
  'clock.ts': [],
  'time.ts': [],
  'storable.ts': [],
}

/** What the routes of every feature may import besides their feature's arrows. */
export const routesAlsoReach: readonly string[] = ['http', 'api-keys', 'audit']

// The only places that may name a package: folders and files of server/src; a star stands for any feature.
export const packageHomes: Readonly<Record<string, readonly string[]>> = {
  fastify: ['http', 'app.ts', '*/routes'],
  '@fastify/type-provider-typebox': ['http', 'app.ts', '*/routes'],
  '@fastify/swagger': ['http', 'app.ts'],
  '@scalar/fastify-api-reference': ['http', 'app.ts'],
  '@fastify/proxy-addr': ['http'],
  'find-my-way': ['http'],
  pg: ['db'],
  '@electric-sql/pglite': ['db'],
  'pg-boss': ['jobs'],
  undici: ['outbound'],
  'ipaddr.js': ['outbound', 'console-access'],
  commander: ['cli'],
  liquidjs: ['checks'],
  'libpg-query': ['reporting'],
  'modern-tar': ['packages'],
  'scim2-parse-filter': ['scim'],
  'node:sqlite': ['osquery-sql'],
  jose: ['cli'],
  '@simplewebauthn/server': ['console-access'],
  'openid-client': ['console-access'],
}

/** What only some places may call; a place is a path prefix below server/src. */
export const globalHomes: readonly {
  readonly what: string
  readonly pattern: RegExp
  readonly homes: readonly string[]
}[] = [
  {
    what: 'process.env',
    pattern: /\bprocess\s*\.\s*env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/,
    homes: ['config/', 'config.ts', 'db/embedded/test-processes/'],
  },
  // The receiver calls the transmitter that its user named.
  {
    what: 'fetch',
    pattern: /(?<![.\w'])fetch\s*\(|\bglobalThis\s*\.\s*fetch\b/,
    homes: ['outbound/', 'cli/receiver/'],
  },
  {
    what: 'the clock',
    pattern: /\bDate\s*\.\s*now\b|\bnew Date\s*(?:\(\s*\)|(?!\s*\())/,
    // The lock file of the embedded database is compared with the file system's own time.
    homes: ['clock.ts', 'main.ts', 'cli/', 'http/', 'db/embedded/'],
  },
]
