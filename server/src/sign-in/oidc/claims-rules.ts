/** What a sign-in ended with, as far as an application hears of it. */
export type Outcome = {
  /** Whether the device has proved itself in this sign-in. */
  isProved: boolean
  /** Whether its checks let it in by themselves, and were not waived. */
  isCompliant: boolean
  deviceId: string | null
}

export type OutcomeClaims = {
  acr: string
  amr: string[]
  device_context: { managed: boolean; compliant: boolean; externalId?: string }
  upstream_acr?: string
} & PersonClaims

/** Who the person is, by the names of OpenID Connect Core §5.1; `groups` by the names that the organization has for them. */
type PersonClaims = {
  email?: string
  email_verified?: true
  name?: string
  preferred_username?: string
  given_name?: string
  family_name?: string
  groups?: readonly string[]
}

/** Which claims a scope asks for (OpenID Connect Core §5.4). All may be asked for by name as well (§5.5). */
export const claimsOfScopes = {
  openid: ['sub', 'acr', 'amr', 'device_context', 'upstream_acr'],
  email: ['email', 'email_verified'],
  profile: ['name', 'preferred_username', 'given_name', 'family_name', 'groups'],
  // Programs ask for groups by either scope.
  groups: ['groups'],
} as const

export const claimNames: readonly string[] = [...new Set(Object.values(claimsOfScopes).flat())]

export const acrValues = ['urn:muster:device:compliant', 'urn:muster:device:known', 'urn:muster:none'] as const

/** The claims about the device. They stay true in every mode: only an accepted proof makes a device managed. */
export function claimsOf({ isProved, isCompliant, deviceId }: Outcome): OutcomeClaims {
  if (!isProved || deviceId === null) {
    return { acr: 'urn:muster:none', amr: [], device_context: { managed: false, compliant: false } }
  }
  return {
    acr: isCompliant ? 'urn:muster:device:compliant' : 'urn:muster:device:known',
    // A key in a file (RFC 8176).
    amr: ['swk', 'pop'],
    device_context: { managed: true, compliant: isCompliant, externalId: deviceId },
  }
}

/** What an upstream has said of the person, as far as it is passed on. The address was judged to be theirs. */
type UpstreamWords = {
  acr?: string
  amr?: readonly string[]
  email?: string
  name?: string
  preferredUsername?: string
  givenName?: string
  familyName?: string
}

/** What Muster knows of the person besides. */
export type OwnWords = { name?: string; groups?: readonly string[] }

/** Methods that only a proof of the device makes true here (RFC 8176), whoever names them. */
const provedMethods = ['hwk', 'swk', 'pop', 'phr']

/**
 * The claims with what an upstream has said of the person. `acr` stays ours, as an application lets devices in by it, and the
 * upstream's has a claim of its own. Without a proof of the device no method stands there that speaks of a key.
 */
export function withUpstream(claims: OutcomeClaims, said: UpstreamWords, own: OwnWords = {}): OutcomeClaims {
  const { acr, amr = [] } = said
  const isProved = claims.device_context.managed
  const kept = amr.filter((method) => isProved || !provedMethods.includes(method))
  return {
    ...claims,
    amr: [...new Set([...kept, ...claims.amr])],
    ...(acr !== undefined && { upstream_acr: acr }),
    ...personClaims(said, own),
  }
}

/** Applications make an account of these: without a user name of the upstream the address is one. */
function personClaims(said: UpstreamWords, { name: ownName, groups = [] }: OwnWords): PersonClaims {
  const { email, givenName, familyName, name = ownName, preferredUsername = email } = said
  return {
    ...(email !== undefined && { email, email_verified: true }),
    ...(name !== undefined && { name }),
    ...(preferredUsername !== undefined && { preferred_username: preferredUsername }),
    ...(givenName !== undefined && { given_name: givenName }),
    ...(familyName !== undefined && { family_name: familyName }),
    ...(groups.length > 0 && { groups }),
  }
}

/**
 * What the userinfo endpoint may say (OpenID Connect Core §5.3): who the person is, and of the device what a request has asked for
 * there by name. A scope brings that into the ID token alone.
 */
export function claimsOfUserinfo(outcome: OutcomeClaims, asked: readonly string[]): Record<string, unknown> {
  const unasked = claimsOfScopes.openid.filter((claim) => !asked.includes(claim)) as readonly string[]
  return Object.fromEntries(Object.entries(outcome).filter(([claim]) => !unasked.includes(claim)))
}

type Asked = { claims?: unknown; id_token_hint?: unknown }

/**
 * Why a request cannot be answered with what a sign-in ended with: an essential `acr` that it does not have, or another person
 * than the request names (OpenID Connect Core §5.5.1, §3.1.2.1). Undefined when it can.
 */
export function objectionTo(
  interaction: unknown,
  { subject, acr }: { subject: string; acr: string },
): 'unmet_authentication_requirements' | 'login_required' | undefined {
  const { params } = Object(interaction) as { params?: Asked }
  const { claims, id_token_hint: hint } = params ?? {}
  const wanted = parsed(claims)?.['id_token'] as Record<string, Wanted | null> | undefined
  const named = wanted?.['sub']?.value
  if (named !== undefined && named !== subject) return 'login_required'
  // Its signature was verified when the request arrived.
  if (typeof hint === 'string' && parsed(decoded(hint.split('.')[1]))?.['sub'] !== subject) return 'login_required'
  const { essential, value, values } = wanted?.['acr'] ?? {}
  const accepted = value === undefined ? values : [value]
  return essential === true && accepted !== undefined && !accepted.includes(acr)
    ? 'unmet_authentication_requirements'
    : undefined
}

type Wanted = { essential?: boolean; value?: string; values?: readonly string[] }

const decoded = (part = ''): string => Buffer.from(part, 'base64url').toString()

function parsed(text: unknown): Record<string, unknown> | undefined {
  if (typeof text !== 'string') return undefined
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return undefined
  }
}
