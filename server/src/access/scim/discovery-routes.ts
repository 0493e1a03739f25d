import type { FastifyInstance } from 'fastify'
import type { Links } from '../../base/links.ts'
import type { Values } from './attribute.ts'
import { type ScimAnswer, type ScimRequest, scimEndpoint } from './endpoint-routes.ts'
import { presentList } from './list-query.ts'
import { presentServiceProviderConfig, resourceTypes, schemas } from './present-discovery.ts'
import { refuse } from './scim-error.ts'

/** RFC 7644 §4 lets everyone read these; here they need a token, like the rest. */
export function addDiscovery(scope: FastifyInstance): void {
  scimEndpoint(scope, {
    method: 'GET',
    url: '/ServiceProviderConfig',
    run: async ({ links }) => ({ status: 200, body: presentServiceProviderConfig(links) }),
  })
  addCollection(scope, '/ResourceTypes', resourceTypes)
  addCollection(scope, '/Schemas', schemas)
  // RFC 7644 §3.4.2.1, §3.4.3, §3.7 and §3.11: optional, and not here.
  for (const [method, url] of optional) scimEndpoint(scope, { method, url, run: notImplemented })
}

const optional = [
  ['GET', '/'],
  ['POST', '/.search'],
  ['POST', '/Bulk'],
  ['GET', '/Me'],
  ['POST', '/Me'],
  ['PUT', '/Me'],
  ['PATCH', '/Me'],
  ['DELETE', '/Me'],
] as const

const notImplemented = async (): Promise<ScimAnswer> => refuse(501, undefined, 'This service does not offer that.')

function addCollection(scope: FastifyInstance, url: string, all: (links: Links) => Values[]): void {
  scimEndpoint(scope, {
    method: 'GET',
    url,
    run: async ({ links, query }: ScimRequest) => {
      // RFC 7644 §4: a client that filters must not take the whole for the part.
      if (query['filter'] !== undefined) refuse(403, undefined, 'This list cannot be filtered.')
      const resources = all(links)
      return { status: 200, body: presentList(resources, resources.length, 1) }
    },
  })
  scimEndpoint(scope, {
    method: 'GET',
    url: `${url}/:id`,
    run: async ({ links, id }: ScimRequest) => {
      const resource = all(links).find((one) => String(one['id']).toLowerCase() === id.toLowerCase())
      return { status: 200, body: resource ?? refuse(404, undefined, 'There is no such record.') }
    },
  })
}
