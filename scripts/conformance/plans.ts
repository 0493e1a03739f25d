const dynamic = { ssf_auth_mode: 'dynamic', server_metadata: 'discovery', client_registration: 'static_client' }
const found = { ssf_server_metadata: 'discovery', ssf_auth_mode: 'static' }
const [ssf, caep] = ['openid-ssf-transmitter-test-plan', 'openid-ssf-transmitter-caep-test-plan']

/** A plan of the suite, and which of its variants. */
export type Plan = {
  readonly title: string
  readonly plan: string
  readonly variant: Readonly<Record<string, string>>
}

export type PlanChoice = Plan & {
  /** What a static token is: an API key, or an access token of it, which may poll as well. */
  readonly token: 'key' | 'access token'
  /** Whose issuer is the address of the server, or one whose issuer is a path of that. */
  readonly organization: OrganizationKind
}

export type OrganizationKind = 'first' | 'path'

/** What is run of the plans for transmitters: every delivery, way to the metadata and credential that Muster offers. */
export const choices: readonly PlanChoice[] = [
  {
    title: 'SSF, poll, access token',
    ...{ plan: ssf, organization: 'first', token: 'access token' },
    variant: { ...found, ssf_delivery_mode: 'poll', ssf_profile: 'default' },
  },
  {
    title: 'SSF, push, API key',
    ...{ plan: ssf, organization: 'first', token: 'key' },
    variant: { ...found, ssf_delivery_mode: 'push', ssf_profile: 'default' },
  },
  {
    title: 'SSF, poll, access token, address of the metadata typed in',
    ...{ plan: ssf, organization: 'first', token: 'access token' },
    variant: { ...found, ssf_server_metadata: 'static', ssf_delivery_mode: 'poll', ssf_profile: 'default' },
  },
  {
    title: 'CAEP interoperability, push, API key',
    ...{ plan: caep, organization: 'first', token: 'key' },
    variant: { ...found, ssf_delivery_mode: 'push' },
  },
  {
    title: 'CAEP interoperability, poll, access token',
    ...{ plan: caep, organization: 'first', token: 'access token' },
    variant: { ...found, ssf_delivery_mode: 'poll' },
  },
  {
    title: 'CAEP interoperability, poll, OAuth with client_secret_basic',
    ...{ plan: caep, organization: 'first', token: 'access token' },
    variant: { ...found, ...dynamic, client_auth_type: 'client_secret_basic', ssf_delivery_mode: 'poll' },
  },
  {
    title: 'CAEP interoperability, push, OAuth with client_secret_post',
    ...{ plan: caep, organization: 'first', token: 'access token' },
    variant: { ...found, ...dynamic, client_auth_type: 'client_secret_post', ssf_delivery_mode: 'push' },
  },
  {
    title: 'CAEP interoperability, poll, OAuth, issuer with a path',
    ...{ plan: caep, organization: 'path', token: 'access token' },
    variant: { ...found, ...dynamic, client_auth_type: 'client_secret_basic', ssf_delivery_mode: 'poll' },
  },
]

/** As `GET /api/plan/available` lists them. */
export type AvailablePlan = {
  readonly planName: string
  readonly variants: Readonly<Record<string, { readonly variantValues: Readonly<Record<string, unknown>> }>>
}

/** Why this suite cannot run the choice: its version does not know the plan, or a value of its variant. */
export function whyNotAvailable(choice: Plan, available: readonly AvailablePlan[]): string | undefined {
  const plan = available.find(({ planName }) => planName === choice.plan)
  if (!plan) return `the suite has no plan ${choice.plan}`
  const unknown = Object.entries(choice.variant).find(
    ([name, value]) => plan.variants[name]?.variantValues[value] === undefined,
  )
  return unknown && `the suite has no ${unknown[0]} ${unknown[1]}`
}

export type Transmitter = {
  readonly issuer: string
  /** Of an API key that may manage streams. */
  readonly clientId: string
  readonly key: string
  readonly accessToken: string
}

/** The configuration of the suite for a plan; it reads of it what the variant needs. */
export function configurationFor({ title, token }: PlanChoice, transmitter: Transmitter): object {
  const { issuer, clientId, key, accessToken } = transmitter
  return {
    description: title,
    server: { discoveryUrl: wellKnown(issuer, 'oauth-authorization-server') },
    client: { client_id: clientId, client_secret: key, scope: 'ssf.manage ssf.read' },
    ssf: {
      transmitter: {
        issuer,
        configuration_metadata_endpoint: wellKnown(issuer, 'ssf-configuration'),
        access_token: token === 'key' ? key : accessToken,
      },
    },
  }
}

/** RFC 8414 §3 and SSF 1.0 §7.2: before the path of the issuer, not behind it. */
function wellKnown(issuer: string, name: string): string {
  const { origin, pathname } = new URL(issuer)
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`
}
