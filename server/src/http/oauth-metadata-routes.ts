import type { FastifyInstance } from 'fastify'
import { scopes } from './access-tokens.ts'
import type { CallerScheme } from './caller-scheme.ts'
import { findServedAddress } from './served-address.ts'

export const authorizationServerPath = '/.well-known/oauth-authorization-server'
export const protectedResourcePath = '/.well-known/oauth-protected-resource'
export const tokenPath = '/oauth/token'

/** By the credentials of a client (RFC 6749 §2.3), which the token endpoint judges; its metadata are for everyone. */
export const oauthClients: CallerScheme = { name: 'oauth_client', kinds: ['form', 'page'] }

export const oauthMetadataHeaders = { 'cache-control': 'public, max-age=3600' }

/** RFC 8414; the endpoint is at `baseUrl`, whatever the issuer. */
export const authorizationServer = (issuer: string, baseUrl: string) => ({
  issuer,
  token_endpoint: `${baseUrl}${tokenPath}`,
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  grant_types_supported: ['client_credentials'],
  // RFC 8414 §2 requires the member; there is no authorization endpoint that could answer anything.
  response_types_supported: ['none'],
  scopes_supported: [...scopes],
  service_documentation: `${baseUrl}/docs`,
})

/**
 * Where clients of OAuth learn how to get an access token, and what it is for: RFC 8414 and RFC 9728. As they are at the
 * address of an organization, or at MUSTER_BASE_URL.
 */
export function addOauthMetadata(app: FastifyInstance): void {
  const documents = (baseUrl: string) => ({
    [authorizationServerPath]: authorizationServer(baseUrl, baseUrl),
    [protectedResourcePath]: {
      resource: baseUrl,
      authorization_servers: [baseUrl],
      scopes_supported: [...scopes],
      bearer_methods_supported: ['header'],
      resource_name: 'Muster',
      resource_documentation: `${baseUrl}/docs`,
    },
  })
  for (const url of [authorizationServerPath, protectedResourcePath] as const) {
    app.route({
      method: 'GET',
      url,
      config: { scheme: oauthClients, kind: 'page', origin: 'any' },
      handler: async ({ host }, reply) => {
        const { baseUrl } = await findServedAddress(app.kit, host)
        return reply.headers(oauthMetadataHeaders).send(documents(baseUrl)[url])
      },
    })
  }
}
