import { type ApiVersion, apiVersions, latestVersion } from '@muster/contract/versions.ts'
import type { Operation } from '../operations.ts'
import { headers, refusalComponents } from './describe-answers.ts'
import { describeOperation, listParameters } from './describe-operation.ts'
import { type Schema, schemaLifter } from './lift-schemas.ts'

/**
 * The OpenAPI 3.1 document of one version. Without `baseUrl` it is the committed copy, which leaves the address of the
 * server to its reader.
 */
export function buildDocument(operations: readonly Operation[], version: ApiVersion, baseUrl?: string): Schema {
  const { lift, components } = schemaLifter()
  const present = operations.filter(({ versions }) => versions.includes(version))
  const paths: Record<string, Record<string, Schema>> = {}
  for (const operation of present) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operation, lift) }
  }
  const responses = refusalComponents(lift)
  const tags = [...new Set(present.map(({ tag }) => tag))]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Muster API',
      version,
      summary: 'Device trust and endpoint compliance.',
      description,
      contact: { name: 'The administrators of your Muster server' },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [baseUrl === undefined ? anyServer : { url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: tags.map((name) => ({ name, description: tagDescriptions[name] })),
    paths,
    components: {
      securitySchemes: { apiKey: securityScheme },
      parameters: { ApiVersion: versionParameter(version), ...listParameters(lift) },
      headers,
      responses,
      schemas: Object.fromEntries(Object.entries(components).toSorted(([left], [right]) => (left < right ? -1 : 1))),
    },
  }
}

const anyServer = {
  url: '{base_url}',
  description: 'Your Muster server: the value of its setting MUSTER_BASE_URL.',
  variables: { base_url: { default: 'http://localhost:8080' } },
}

const securityScheme = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An API key, `mstr_v1_…`. It may read everything; each kind of change is a permission granted to the key.',
}

const versionParameter = (version: ApiVersion) => ({
  name: 'X-Service-Api-Version',
  in: 'header',
  required: false,
  description: `The version of the API; ${latestVersion} when it is left out. Send it, so that answers stay the same.`,
  schema: { type: 'string', enum: [...apiVersions] },
  example: version,
})

const description = `
Records of an organization: its devices, people, checks, issues and what follows from them.

**Lists** answer a page in the envelope \`data\` and \`pagination\`. Follow \`pagination.next\` until it is blank. Records
that come and go meanwhile neither repeat nor hide others. A page ends early where it would exceed 2 MB.

**Search** takes clauses of a field, an operator and a value: \`:\` is exact, \`~\` is a part in any case, \`<\`, \`<=\`,
\`>\` and \`>=\` compare times. Quote values with spaces. \`field:["a","b"]\` finds any of several and \`field:null\` what has none,
where a field allows it. Join clauses by \`AND\`, which binds tighter, and \`OR\`.

**Methods**: every GET also takes HEAD, and OPTIONS tells what an address takes. Another method is a 405 with \`Allow\`.

**Query parameters** that an operation does not know are refused: a 422 names them. Version 2023-05-26 ignores them.

**Bodies** are JSON in UTF-8. Identifiers may be strings or numbers, and booleans may be the strings \`"true"\` and
\`"false"\`. Members that an operation does not know are ignored.

**Limit**: a key may make 270 requests in the minute that its first request starts. Every answer says how many are
left; a 429 says when to come again.

**Errors** have one form: \`error\` is a code that programs may rely on, \`message\` a sentence for people. A 422 lists
the faults under \`errors\`, and its message is the first of them. Quote \`X-Request-Id\` when asking for help.
`.trim()

/** What each group of operations is about. */
const tagDescriptions: Readonly<Record<string, string>> = {
  Organization: 'The organization that the key belongs to.',
  Devices: 'Computers, tablets and phones: how they stand, who owns them, who may sign in with them.',
  'Device groups': 'Groups of devices that checks target or leave out.',
  People: 'The people of the organization, and what they own and have to fix.',
  'Person groups': 'Groups of people as the identity provider keeps them.',
  Checks: 'What is examined on devices, how a failure counts, and the latest result on each device.',
  'Custom check drafts': 'Checks of the organization that are being written. Only in version 2026-04-07.',
  Issues: 'Failures of checks on devices, open and resolved.',
  'Exemption requests': 'Requests of people not to be blocked by an issue.',
  'Registration requests': 'Requests of people to register a device to them.',
  Packages: 'Installation packages that enroll devices.',
  'Live queries': 'osquery SQL that chosen devices run as soon as they are online.',
  Reporting: 'The inventory as tables, and SQL queries over it.',
  'Audit logs': 'What administrators, keys and commands have changed, newest first.',
  'Auth logs': 'Sign-ins and what decided them, newest first.',
  'Admin users': 'The administrators of the console.',
  Webhooks: 'Endpoints that events are sent to, and the log of their deliveries.',
  'Shared Signals':
    'Streams that tell receivers when the compliance of a device changes (OpenID Shared Signals Framework).',
}
