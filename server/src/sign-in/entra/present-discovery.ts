import { entraAddresses } from '../connections/entra-rules.ts'

/** What Entra asks before it sends anyone here (OpenID Connect Discovery 1.0 §3). */
export function presentDiscovery(address: string, connectionId: string) {
  const { issuer, authorizationEndpoint } = entraAddresses(address, connectionId)
  return {
    issuer,
    authorization_endpoint: authorizationEndpoint,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: ['openid'],
    response_types_supported: ['id_token'],
    response_modes_supported: ['form_post'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claim_types_supported: ['normal'],
  }
}
