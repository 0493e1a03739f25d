/**
 * The contexts of server/src, top to bottom: a context imports what stands below it, never what stands above. `base`
 * holds what every one of them stands on.
 */
export const contexts: readonly string[] = [
  ...['cli', 'access', 'console', 'sign-in', 'agents', 'administration', 'reporting', 'live-queries'],
  ...['checks', 'compliance', 'inventory', 'signals', 'keys', 'http', 'base'],
]

/** What every feature stands on. */
const base = [
  ...[
    'base/bodies',
    'base/lists',
    'base/jobs',
    'base/outbound',
    'base/osquery-sql',
    'base/secrets',
    'base/db',
    'base/links.ts',
  ],
  ...[
    'base/relying-party',
    'base/retention.ts',
    'base/errors.ts',
    'base/time.ts',
    'base/fold-text.ts',
    'base/cut-json.ts',
    'base/parse-in-turns.ts',
    'base/scan-json.ts',
    'base/storable.ts',
    'base/value-text.ts',
    'base/describe-fault.ts',
    'base/nearest-name.ts',
  ],
  ...[
    'base/clock.ts',
    'base/change-context.ts',
    'base/callers.ts',
    'base/network-of.ts',
    'base/operating-user.ts',
    'base/spending-budget.ts',
  ],
  'base/wait-until-told.ts',
]

const signals = ['signals/events', 'signals/audit']

/**
 * Read top to bottom: a folder imports itself and what is listed beside it, nothing else. A new arrow is one line
 * here, for a reviewer to see.
 */
export const featureArrows: Readonly<Record<string, readonly string[]>> = {
  'access/sessions': [
    ...['access/administrators', 'console/live', 'sign-in/connections', 'inventory/organizations', 'inventory/people'],
    ...['signals/audit', 'http/page', 'http', ...base],
  ],
  'access/administrators': ['inventory/people', ...signals, 'http', ...base],
  'access/api-keys': ['signals/audit', 'base/config', 'http', 'inventory/organizations', ...base],
  'access/saved-views': ['signals/audit', 'http', ...base],
  'access/scim': [
    'administration/registrations',
    'administration/groups',
    'inventory/people',
    'signals/audit',
    'http',
    ...base,
  ],

  // What the console's pages show of many contexts at once.
  'console/views': [
    ...['agents/companion-keys', 'agents/packages'],
    ...['administration/requests', 'administration/people', 'administration/registrations', 'administration/groups'],
    ...['reporting/compliance-days', 'reporting', 'live-queries'],
    ...['checks/drafts', 'checks/definitions', 'checks/configuration', 'checks/catalogue', 'compliance/templates'],
    ...[
      'compliance/exemptions',
      'compliance/results',
      'compliance/targeting',
      'compliance/issues',
      'compliance/standing',
    ],
    ...['inventory/organizations', 'inventory/devices', 'inventory/people'],
    ...['signals/webhooks', 'signals/streams', 'signals/audit', 'signals/webhook-ledger', 'signals/events'],
    ...['http', ...base],
  ],
  'console/live': [...base],

  'sign-in/visits': [
    ...['sign-in/sessions', 'sign-in/bypass', 'sign-in/connections', 'sign-in/upstreams', 'sign-in/oidc'],
    'sign-in/reasons',
    ...[
      'sign-in/egress',
      'sign-in/entra',
      'sign-in/page',
      'administration/requests',
      'agents/companion-keys',
      'agents/device-proofs',
      'agents/packages',
      'compliance/issues',
      'compliance/templates',
      'inventory/organizations',
    ],
    ...['keys', 'http/page', 'http', ...base],
  ],
  'sign-in/page': ['sign-in/reasons', 'http/page', 'base/db', 'base/time.ts'],
  'sign-in/entra': ['sign-in/sessions', 'sign-in/connections', 'keys', ...base],
  'sign-in/sessions': [
    ...['sign-in/auth-logs', 'sign-in/bypass', 'sign-in/connections', 'sign-in/reasons'],
    ...[
      'agents/companion-keys',
      'agents/device-proofs',
      'administration/registrations',
      'administration/requests',
      'compliance/exemptions',
      'compliance/results',
      'inventory/devices',
      'inventory/organizations',
      'inventory/people',
      'signals/audit',
      'http',
      ...base,
    ],
  ],
  'sign-in/oidc': ['sign-in/connections', 'keys', ...base],
  'sign-in/upstreams': ['sign-in/egress', 'sign-in/connections', 'signals/audit', 'http', ...base],
  'sign-in/connections': ['sign-in/egress', 'agents/packages', 'signals/audit', 'keys', 'http', ...base],
  'sign-in/egress': [...base],
  'sign-in/bypass': ['signals/audit', 'http', ...base],
  'sign-in/reasons': ['base/db'],
  'sign-in/auth-logs': ['inventory/devices', 'inventory/people', 'signals/events', 'http', ...base],

  'agents/packages': ['agents/protocol', 'signals/audit', 'http', ...base],
  'agents/merges': [
    ...['agents/protocol', 'agents/companion-keys', 'administration/registrations', 'administration/groups'],
    ...['compliance/exemptions', 'compliance/results', 'compliance/standing'],
    ...['inventory/devices', 'inventory/people', 'signals/audit', 'http', ...base],
  ],
  'agents/companion': ['agents/protocol', 'agents/companion-keys', 'compliance/results', 'http', ...base],
  'agents/protocol': [
    'agents/companion-keys',
    ...['administration/registrations', 'reporting', 'live-queries', 'compliance/templates'],
    ...['compliance/results', 'compliance/targeting', 'compliance/standing', 'inventory/devices', ...signals],
    ...['keys', 'http', ...base],
  ],
  'agents/device-proofs': ['agents/companion-keys', 'keys', ...base],
  'agents/companion-keys': ['administration/registrations', 'inventory/devices', 'signals/audit', ...base],

  'administration/requests': [
    ...['administration/registrations', 'compliance/results', 'compliance/targeting', 'compliance/issues'],
    ...['inventory/organizations', 'inventory/devices', 'inventory/people', ...signals, 'http', ...base],
  ],
  'administration/people': [
    ...['administration/registrations', 'inventory/devices', 'inventory/people', 'signals/audit', 'http', ...base],
  ],
  'administration/registrations': [
    ...['administration/groups', 'live-queries', 'compliance/targeting', 'compliance/standing'],
    ...['inventory/devices', 'inventory/people', ...signals, 'http', ...base],
  ],
  'administration/groups': [
    ...['compliance/targeting', 'inventory/devices', 'inventory/people', 'signals/audit', 'http', ...base],
  ],

  reporting: ['inventory/devices', 'signals/audit', 'http', 'http/page', ...base],
  'reporting/compliance-days': ['inventory/devices', ...base],

  'live-queries': ['inventory/devices', 'signals/audit', 'http', ...base],

  'checks/drafts': [
    ...[
      'checks/definitions',
      'checks/configuration',
      'checks/catalogue',
      'compliance/templates',
      'compliance/standing',
    ],
    ...['inventory/organizations', 'signals/audit', 'http', ...base],
  ],
  'checks/definitions': [
    ...['checks/configuration', 'checks/catalogue', 'compliance/templates'],
    ...['compliance/results', 'compliance/targeting', 'compliance/issues', 'compliance/standing'],
    ...['inventory/devices', 'signals/audit', 'http', ...base],
  ],
  'checks/configuration': [
    ...['compliance/templates', 'compliance/targeting', 'compliance/issues', 'compliance/holds', 'compliance/standing'],
    ...['inventory/devices', 'signals/audit', ...base],
  ],
  'checks/catalogue': ['compliance/templates', ...base],

  'compliance/exemptions': [
    ...['compliance/targeting', 'compliance/issues', 'compliance/standing'],
    ...['inventory/devices', 'signals/audit', ...base],
  ],
  'compliance/results': ['compliance/issues', 'compliance/standing', 'inventory/devices', 'http', ...base],
  'compliance/targeting': [
    ...['compliance/issues', 'compliance/holds', 'compliance/standing', 'inventory/devices', 'signals/audit', ...base],
  ],
  'compliance/issues': [
    'compliance/holds',
    'compliance/templates',
    'inventory/devices',
    'inventory/people',
    'signals/events',
    'http',
    ...base,
  ],
  'compliance/holds': ['signals/audit', ...base],
  'compliance/standing': [...base],
  'compliance/templates': [...base],

  'inventory/organizations': ['inventory/devices', 'signals/audit', 'http', ...base],
  'inventory/devices': ['inventory/people', ...signals, 'http', ...base],
  'inventory/people': ['signals/audit', 'http', ...base],

  'signals/events': ['signals/streams', 'signals/webhook-ledger', ...base],
  'signals/webhooks': ['signals/audit', 'signals/webhook-ledger', 'http', ...base],
  'signals/streams': ['signals/audit', 'keys', 'http', ...base],
  'signals/audit': ['signals/webhook-ledger', 'http', ...base],
  // Below the audit log, whose entries are sent as well.
  'signals/webhook-ledger': [...base],

  // Below the audit log and the streams, which are handed in.
  keys: [...base],
}

const features = Object.keys(featureArrows)

export const groundArrows: Readonly<Record<string, readonly string[]>> = {
  'main.ts': [
    ...['app.ts', 'operator-routes.ts', 'worker.ts', 'first-start.ts', 'open-deployment.ts', 'health', 'http'],
    ...['base/logging.ts', 'base/config', ...features, ...base],
  ],
  cli: [
    ...['main.ts', 'app.ts', 'worker.ts', 'open-deployment.ts', 'upgrade-database.ts', 'prepared-folder.ts', 'health'],
    ...['http/page', 'http', 'base/logging.ts', 'base/config', ...features, ...base],
  ],
  'first-start.ts': ['base/config', ...features, ...base],
  'open-deployment.ts': ['prepared-folder.ts', 'upgrade-database.ts', 'health', 'base/config', ...base],
  'prepared-folder.ts': ['upgrade-database.ts', 'base/db', 'base/time.ts'],
  'upgrade-database.ts': ['base/db', 'base/jobs'],
  'app.ts': ['operator-routes.ts', 'http', 'base/logging.ts', 'base/config', ...features, ...base],
  'operator-routes.ts': ['http', 'health', 'base/logging.ts', 'base/config', ...features, ...base],
  'worker.ts': ['health', 'base/logging.ts', 'base/config', ...features, ...base],
  // Below the features: the rooms that let callers in hand in how.
  http: ['http/page', 'base/logging.ts', 'base/config', ...base],
  // What pages are made of: their HTML and the policy of each.
  'http/page': [],
  // How the deployment stands, for operators.
  health: ['base/jobs', 'base/db'],
  // The memory and the time of what is sent.
  'base/bodies': [],
  'base/jobs': ['base/db', 'base/change-context.ts', 'base/logging.ts', 'base/errors.ts', 'base/clock.ts'],
  'base/lists': ['base/db', 'base/errors.ts', 'base/fold-text.ts'],
  'base/config': ['base/describe-fault.ts', 'base/nearest-name.ts', 'base/secrets'],
  'base/secrets': ['base/db', 'base/errors.ts'],
  'base/osquery-sql': ['base/errors.ts'],
  'base/outbound': ['base/logging.ts', 'base/errors.ts', 'base/clock.ts', 'base/time.ts'],
  'base/relying-party': ['base/outbound', 'base/time.ts'],
  'base/db': ['base/clock.ts', 'base/fold-text.ts', 'base/process-start.ts'],
  'base/retention.ts': ['base/time.ts'],
  'base/logging.ts': ['base/secrets', 'base/clock.ts'],
  // Pure, and what present may know of addresses.
  'base/links.ts': [],
  'base/errors.ts': [],
  'base/describe-fault.ts': [],
  'base/nearest-name.ts': [],
  'base/clock.ts': [],
  // Who changes what: passed to every command.
  'base/change-context.ts': [],
  // Who asks: known to what lets them in and to what answers them.
  'base/callers.ts': ['base/change-context.ts'],
  'base/time.ts': [],
  'base/wait-until-told.ts': [],
  'base/process-start.ts': [],
  'base/network-of.ts': [],
  'base/operating-user.ts': [],
  'base/fold-text.ts': [],
  'base/cut-json.ts': ['base/scan-json.ts'],
  'base/parse-in-turns.ts': ['base/scan-json.ts'],
  'base/scan-json.ts': [],
  'base/storable.ts': [],
  'base/value-text.ts': [],
  'base/spending-budget.ts': ['base/clock.ts'],
}

// The only places that may name a package: folders and files of server/src; a star stands for any feature.
export const packageHomes: Readonly<Record<string, readonly string[]>> = {
  fastify: ['http', 'app.ts', 'operator-routes.ts', '*/routes'],
  '@fastify/type-provider-typebox': ['http', 'app.ts', '*/routes'],
  '@fastify/swagger': ['http', 'app.ts'],
  '@scalar/fastify-api-reference': ['http', 'app.ts'],
  '@fastify/proxy-addr': ['http'],
  'find-my-way': ['http'],
  'fastest-levenshtein': ['base/nearest-name.ts'],
  pg: ['base/db'],
  '@electric-sql/pglite': ['base/db'],
  'pg-boss': ['base/jobs'],
  undici: ['base/outbound'],
  'ipaddr.js': ['base/outbound', 'base/network-of.ts'],
  commander: ['cli'],
  liquidjs: ['compliance/templates'],
  'libpg-query': ['reporting'],
  'modern-tar': ['agents/packages', 'cli'],
  'scim2-parse-filter': ['access/scim'],
  'node:sqlite': ['base/osquery-sql'],
  jose: ['cli', 'agents/companion', 'agents/device-proofs', 'sign-in/oidc', 'sign-in/entra'],
  'oidc-provider': ['sign-in/oidc'],
  '@simplewebauthn/server': ['access/sessions'],
  '@zxcvbn-ts/core': ['access/sessions'],
  '@zxcvbn-ts/language-common': ['access/sessions'],
  'openid-client': ['base/relying-party', 'cli'],
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
    homes: ['base/config/', 'base/db/embedded/test-processes/'],
  },
  // The receiver calls the transmitter that its user named.
  {
    what: 'fetch',
    pattern: /(?<![.\w'])fetch\s*\(|\bglobalThis\s*\.\s*fetch\b/,
    homes: ['base/outbound/', 'cli/receiver/'],
  },
  {
    what: 'the clock',
    pattern: /\bDate\s*\.\s*now\b|\bnew Date\s*(?:\(\s*\)|(?!\s*\())/,
    // The lock file of the embedded database is compared with the file system's own time.
    homes: ['base/clock.ts', 'main.ts', 'cli/', 'http/', 'base/db/embedded/'],
  },
]
