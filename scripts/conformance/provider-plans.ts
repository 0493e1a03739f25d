import type { Plan } from './plans.ts'
import type { ExpectedFailure } from './results.ts'

const found = { server_metadata: 'discovery', client_registration: 'static_client' }

/** A plan for OpenID providers. Its pages are opened in a browser. */
export type ProviderChoice = Plan & {
  /** Modules that fail by what Muster is. One that passes or fails otherwise makes the run fail, so that this stays true. */
  readonly failing: Readonly<Record<string, ExpectedFailure>>
}

const noSession: ExpectedFailure = {
  error: 'interaction_required',
  reason: 'Muster keeps no session: each request is a check of the device (OpenID Connect Core 3.1.2.6)',
}
const noNonce: ExpectedFailure = {
  error: 'invalid_request',
  reason:
    'The plan sends no PKCE. Where an administrator has lifted it, a nonce has to stand in its place (RFC 9700 2.1.1)',
}
const basic = {
  ...{ 'oidcc-prompt-none-logged-in': noSession, 'oidcc-id-token-hint': noSession },
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': noNonce,
}

/** What is run of the plans for OpenID providers. */
export const providerChoices: readonly ProviderChoice[] = [
  { title: 'OpenID, Config OP', plan: 'oidcc-config-certification-test-plan', variant: {}, failing: {} },
  { title: 'OpenID, Basic OP', plan: 'oidcc-basic-certification-test-plan', variant: found, failing: basic },
  {
    title: 'OpenID, Form Post OP',
    ...{ plan: 'oidcc-formpost-basic-certification-test-plan', variant: found, failing: basic },
  },
  {
    title: 'OpenID, RP-Initiated Logout OP',
    ...{ plan: 'oidcc-rp-initiated-logout-certification-test-plan', failing: {} },
    variant: { response_type: 'code', client_registration: 'static_client' },
  },
]

export type Provider = {
  readonly issuer: string
  readonly clients: readonly { readonly clientId: string; readonly clientSecret: string }[]
}

/** Under which the suite takes the answers of all modules, at addresses that are registered before. */
export const alias = 'muster'

/** The configuration of the suite for a plan; it reads of it what the variant needs. */
export function configurationOf({ title }: Plan, { issuer, clients }: Provider): object {
  const [client, second] = clients.map(({ clientId: id, clientSecret: secret }) => ({
    client_id: id,
    client_secret: secret,
  }))
  return {
    ...{ description: title, alias },
    server: { discoveryUrl: `${issuer}/.well-known/openid-configuration` },
    ...{ client, client2: second, client_secret_post: second },
  }
}
