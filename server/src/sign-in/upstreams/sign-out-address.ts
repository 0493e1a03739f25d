import type { Upstream } from './upstream-queries.ts'

/**
 * Where the upstream signs people out (RP-Initiated Logout 1.0 §2); undefined where it has no address for it. It gets no
 * `id_token_hint`, as its ID tokens are not kept, and so asks the person itself.
 */
export function signOutAddress(
  { client_id: clientId, end_session_endpoint: endpoint }: Upstream,
  back?: { returnTo: string; state: string },
): string | undefined {
  if (endpoint === null) return undefined
  const away = new URL(endpoint)
  away.searchParams.set('client_id', clientId)
  if (back) {
    away.searchParams.set('post_logout_redirect_uri', back.returnTo)
    away.searchParams.set('state', back.state)
  }
  return away.href
}
