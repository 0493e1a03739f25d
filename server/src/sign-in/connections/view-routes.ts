import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { browserPolicies, browserPolicyNames } from '@muster/contract/browser-policies.ts'
import { signInOperations } from '@muster/contract/operations/console-sign-in.ts'
import type { FastifyInstance } from 'fastify'
import { fail, orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { type FileAnswer, fileEndpoint } from '../../http/file-endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { listSigningKeys, stateOfKey } from '../../keys/signing-keys.ts'
import { browserPolicyOf } from './browser-policies.ts'
import { noFigures, readFigures } from './connection-figures.ts'
import { readGroupsOf } from './connection-groups.ts'
import { findConnectionById, listConnectionPage } from './connection-queries.ts'
import { presentConnection } from './present-connection.ts'
import { listRefused, readReadiness } from './readiness-queries.ts'
import { findSignInAddress, issuerPath, requireSignInAddress } from './sign-in-address.ts'

/** What the console shows of connections, which the API does not have. */
export function connectionViewRoutes(scope: FastifyInstance): void {
  const { db, config } = scope.kit
  const addressOf = (organizationId: string) => findSignInAddress(db, organizationId, config.baseUrl)
  listEndpoint(scope, {
    ...signInOperations.listSignInConnections,
    isSmall: true,
    list: async (reader, page) => {
      const [address, figures, rows] = await Promise.all([
        addressOf(page.organizationId),
        readFigures(reader, page.organizationId, page.now),
        listConnectionPage(reader, page),
      ])
      const groups = await readGroupsOf(reader, page.organizationId, rows)
      return rows.map((row) => ({ ...row, address, groups, figures: figures.get(row.id) ?? noFigures }))
    },
    present: presentConnection,
  })
  endpoint(scope, {
    ...signInOperations.getSignInConnection,
    run: async ({ organizationId, params, now }) => {
      const row = orNotFound(await findConnectionById(db, organizationId, params.id))
      const figures = await readFigures(db, organizationId, now)
      const address = await addressOf(organizationId)
      const groups = await readGroupsOf(db, organizationId, [row])
      return presentConnection({ ...row, address, groups, figures: figures.get(row.id) ?? noFigures })
    },
  })
  readinessRoutes(scope)
  endpoint(scope, {
    ...signInOperations.listSignInKeys,
    run: async ({ organizationId, now }) => {
      const address = await addressOf(organizationId)
      const keys = (await listSigningKeys(db, organizationId)).filter(({ purpose }) => purpose === 'oidc')
      return {
        jwks_uri: address === undefined ? null : `${address}${issuerPath}/jwks`,
        data: keys.map(({ kid: id, organization_id: _, purpose: __, ...key }) => ({
          id,
          state: stateOfKey(key, now),
          ...key,
        })),
      }
    },
  })
  fileEndpoint(scope, {
    ...signInOperations.downloadBrowserPolicy,
    run: async ({ organizationId, params }) => {
      const name = browserPolicyNames.find((one) => one === params.fileName) ?? fail('not_found')
      const address = await requireSignInAddress(db, organizationId, config.baseUrl)
      return fileOf(name, browserPolicies[name], browserPolicyOf(name, address))
    },
  })
}

/** Whom a connection would refuse today. */
function readinessRoutes(scope: FastifyInstance): void {
  const { db } = scope.kit
  endpoint(scope, {
    ...signInOperations.getSignInReadiness,
    run: async ({ organizationId, params: { id: connectionId }, now }) => {
      orNotFound(await findConnectionById(db, organizationId, connectionId))
      return readReadiness(db, { organizationId, connectionId, now })
    },
  })
  listEndpoint(scope, {
    ...signInOperations.listRefusedPeople,
    exists: async (reader, organizationId, { id }) =>
      (await findConnectionById(reader, organizationId, id)) !== undefined,
    list: (reader, { organizationId, params, after, limit, now }, { reason }) =>
      listRefused(reader, { organizationId, connectionId: params.id, now }, { reason, after, limit }),
    present: (row) => row,
  })
}

function fileOf(fileName: string, mediaType: string, text: string): FileAnswer {
  const bytes = Buffer.from(text, 'utf8')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { fileName, mediaType, size: bytes.length, sha256, open: () => Readable.from([bytes]) }
}
