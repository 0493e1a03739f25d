import { fail } from '../../base/errors.ts'
import { discoverProvider, type Provider, type Registration } from '../../base/relying-party/relying-party.ts'
import {
  faultOfCall,
  faultOfIssuer,
  isBrowserAddress,
  type UpstreamEgress,
  upstreamFetch,
} from '../egress/upstream-egress.ts'
import { faultOfProductIssuer } from './upstream-options.ts'
import type { Upstream } from './upstream-queries.ts'

/** What is kept of an upstream's metadata, so that a browser is sent there without asking it. */
export type UpstreamMetadata = {
  /** As the provider writes it. */
  issuer: string
  authorizationEndpoint: string
  endSessionEndpoint: string | null
}

/**
 * Asks an upstream for its metadata. Fails with invalid, at the field `issuer`, where it is none of its product, may not be
 * called, does not answer, or is another issuer. Call it outside of a transaction.
 */
export async function readMetadata(
  egress: UpstreamEgress,
  { provider: product, ...registration }: Registration & { provider: Upstream['provider'] },
): Promise<UpstreamMetadata> {
  const { issuer } = registration
  const fault = faultOfProductIssuer(product, issuer) ?? faultOfIssuer(egress, issuer)
  if (fault !== undefined) return refuse(`must ${fault}`)
  let provider: Provider
  try {
    provider = await discoverProvider(registration, upstreamFetch(egress, issuer))
  } catch (error) {
    return refuse(wordsFor(error, issuer))
  }
  return metadataOf(provider) ?? refuse('must name an https authorization endpoint and the response type code')
}

/** What is kept of it; undefined where the browser cannot be sent there. */
export function metadataOf(provider: Provider): UpstreamMetadata | undefined {
  const metadata = provider.serverMetadata()
  const { issuer, authorization_endpoint: authorizationEndpoint, end_session_endpoint: endSession } = metadata
  const types = metadata.response_types_supported
  if (types !== undefined && !types.includes('code')) return undefined
  if (!isBrowserAddress(issuer, authorizationEndpoint)) return undefined
  return { issuer, authorizationEndpoint, endSessionEndpoint: isBrowserAddress(issuer, endSession) ? endSession : null }
}

function wordsFor(error: unknown, issuer: string): string {
  const { code: fault } = Object(error) as { code?: unknown }
  if (fault === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    return 'must be the issuer as the provider itself writes it, with or without the slash at the end'
  }
  return (
    faultOfCall(error, issuer) ??
    'must answer at /.well-known/openid-configuration with the metadata of an OpenID provider'
  )
}

const refuse = (message: string): never => fail('invalid', { errors: [{ field: 'issuer', message }] })
