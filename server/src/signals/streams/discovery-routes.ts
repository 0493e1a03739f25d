import { deliveryMethods } from '@muster/contract/delivery-methods.ts'
import { receiverOperations } from '@muster/contract/operations/stream-receivers.ts'
import type { SsfConfiguration } from '@muster/contract/ssf-discovery.ts'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { publicEndpoint } from '../../http/endpoint.ts'
import {
  authorizationServer,
  authorizationServerPath,
  oauthClients,
  oauthMetadataHeaders,
} from '../../http/oauth-metadata-routes.ts'
import { readParams } from '../../http/path-params.ts'
import { findServedAddress } from '../../http/served-address.ts'
import { publishedKeysMaxAgeSeconds } from '../../keys/key-purposes.ts'
import { publishedSet } from '../../keys/signing-keys.ts'
import { supportedEvents } from './event-types.ts'
import type { StreamParts } from './start-streams.ts'
import { isPathIssuerServed, pathIssuer, type StreamIssuer, streamIssuer } from './stream-issuer.ts'

/** Nobody may keep that there are no keys: the first is made with the first stream. */
const keysHeaders = ({ keys }: { keys: readonly unknown[] }) => ({
  'cache-control': keys.length === 0 ? 'no-store' : `public, max-age=${publishedKeysMaxAgeSeconds}`,
})

/**
 * What receivers read before anything else, without a key (SSF 1.0 §7): at each organization's own address, at
 * MUSTER_BASE_URL for the first organization, and for issuers with a path below that.
 */
export function discoveryRoutes(app: FastifyInstance, parts: StreamParts): void {
  addHostIssuers(app, parts)
  addPathIssuers(app, parts)
}

function addHostIssuers(app: FastifyInstance, { issuer: { baseUrl } }: StreamParts): void {
  publicEndpoint(app, {
    ...receiverOperations.getSsfConfiguration,
    run: async ({ host }) => {
      const served = await findServedAddress(app.kit, host)
      return configurationOf(streamIssuer(served.baseUrl, baseUrl))
    },
  })
  publicEndpoint(app, {
    ...receiverOperations.getSsfKeys,
    headers: keysHeaders,
    run: async ({ db, host, now }) => {
      const { organizationId } = await findServedAddress(app.kit, host)
      return {
        keys: organizationId === undefined ? [] : await publishedSet(db, { organizationId, purpose: 'signals' }, now),
      }
    },
  })
}

function addPathIssuers(app: FastifyInstance, { issuer: { baseUrl } }: StreamParts): void {
  const { ssfPathIssuers: pathIssuers } = app.kit.config
  const requireServed = async (db: Db, organizationId: string, now: string) => {
    if (!(await isPathIssuerServed(db, organizationId, { pathIssuers, now }))) fail('not_found')
  }
  const describe = async (db: Db, organizationId: string, now: string) => {
    await requireServed(db, organizationId, now)
    return configurationOf(streamIssuer(pathIssuer(organizationId), baseUrl))
  }
  // SSF 1.0 §7.2 puts the well-known part before the path of the issuer; older receivers look for it behind.
  publicEndpoint(app, {
    ...receiverOperations.getSsfConfigurationOfOrganization,
    run: ({ db, params, now }) => describe(db, params.organizationId, now),
  })
  publicEndpoint(app, {
    ...receiverOperations.getSsfConfigurationBelowOrganization,
    run: ({ db, params, now }) => describe(db, params.organizationId, now),
  })
  publicEndpoint(app, {
    ...receiverOperations.getSsfKeysOfOrganization,
    headers: keysHeaders,
    run: async ({ db, params: { organizationId }, now }) => {
      await requireServed(db, organizationId, now)
      return { keys: await publishedSet(db, { organizationId, purpose: 'signals' }, now) }
    },
  })
  // RFC 8414 §3.1, for receivers that take the issuer of the stream for the authorization server as well.
  const url = `${authorizationServerPath}/ssf/:organizationId` as const
  const read = readParams(url, {})
  app.route({
    method: 'GET',
    url,
    config: { scheme: oauthClients, kind: 'page', origin: 'any' },
    handler: async ({ params }, reply) => {
      const { organizationId } = read(params)
      await requireServed(app.kit.db, organizationId, app.kit.clock())
      const { issuer } = streamIssuer(pathIssuer(organizationId), baseUrl)
      return reply.headers(oauthMetadataHeaders).send(authorizationServer(issuer, baseUrl))
    },
  })
}

const configurationOf = ({ issuer, baseUrl, jwksUri }: StreamIssuer): SsfConfiguration => ({
  spec_version: '1_0',
  issuer,
  jwks_uri: jwksUri,
  delivery_methods_supported: [deliveryMethods.push, deliveryMethods.poll],
  events_supported: [...supportedEvents],
  configuration_endpoint: `${baseUrl}/ssf_streams`,
  status_endpoint: `${baseUrl}/ssf_streams/status`,
  verification_endpoint: `${baseUrl}/ssf_streams/verify`,
  authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6750' }, { spec_urn: 'urn:ietf:rfc:6749' }],
  default_subjects: 'ALL',
})
