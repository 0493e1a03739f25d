import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { unstorableTexts } from '../../base/storable.ts'
import { minuteMs } from '../../base/time.ts'
import { type EntraCloud, type EntraSettings, isGuid, tenantIssuerOf } from '../connections/entra-rules.ts'
import type { TenantKey } from './tenant-keys.ts'

/** Who Entra says has signed in there. */
export type HintedPerson = {
  /** Of the tenant: who says it. */
  issuer: string
  /** The person's object ID, for good. */
  oid: string
  /** What the answer repeats: the person as this application registration knows them. */
  sub: string
  /** An address, or a user name. */
  username: string | undefined
}

/** `guest`: signed by Entra, about someone of a tenant that is not the connection's. */
export type Hinted = HintedPerson | { refusal: 'invalid' | 'guest' }

export type FindKey = (cloud: EntraCloud, kid: string) => Promise<TenantKey | undefined>

/** How far `iat` may be away, and how long `exp` may be over: Entra sends hints that have expired. */
const toleranceMs = 10 * minuteMs

/**
 * Validates an `id_token_hint` of Entra (OpenID Connect Core §3.1.3.7): signed by a key of the cloud for the tenant that it
 * names, for this app registration, issued within ten minutes. No key is asked for before all of that fits. Rejects with
 * KeysUnavailable when Microsoft's keys cannot be read.
 */
export async function validateHint(
  findKey: FindKey,
  settings: EntraSettings,
  hint: string,
  now: string,
): Promise<Hinted> {
  const claims = readClaims(hint)
  if (!claims || !fits(claims, settings, now)) return { refusal: 'invalid' }
  const issuer = tenantIssuerOf(settings.cloud, claims.tid)
  const key = await findKey(settings.cloud, claims.kid)
  // A key of the cloud may be of some tenants only, or of personal accounts.
  const isOfTenant = key?.issuer === undefined || key.issuer.replace('{tenantid}', claims.tid) === issuer
  if (!key || !isOfTenant || !(await isSigned(hint, key, { issuer, appId: settings.appId, now }))) {
    return { refusal: 'invalid' }
  }
  const { oid, sub, username } = claims
  const isGuest = claims.isGuest || !settings.tenantIds.includes(claims.tid)
  return isGuest ? { refusal: 'guest' } : { issuer, oid, sub, username }
}

type HintClaims = NonNullable<ReturnType<typeof readClaims>>

/** What a hint says, before it is known who does. */
function readClaims(hint: string) {
  try {
    const { alg, kid } = decodeProtectedHeader(hint)
    const { iss, aud, iat, exp, sub, tid, oid, idp, acct, preferred_username: username } = decodeJwt(hint)
    const isWhole = [iss, aud, sub, tid, oid].every((value) => typeof value === 'string' && value !== '')
    if (unstorableTexts({ sub, username }).length > 0) return undefined
    if (alg !== 'RS256' || typeof kid !== 'string' || !isWhole || typeof iat !== 'number' || typeof exp !== 'number')
      return undefined
    return {
      ...{ kid, iss: String(iss), aud: String(aud), iat, exp, sub: String(sub) },
      ...{ tid: String(tid), oid: String(oid) },
      username: typeof username === 'string' && username !== '' ? username : undefined,
      // Who signed in elsewhere comes with the provider that they have signed in with.
      isGuest: acct === 1 || (typeof idp === 'string' && !idp.includes(`/${tid}`)),
    }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}

function fits(
  { iss, aud, iat, exp, sub, tid, oid }: HintClaims,
  { cloud, appId }: EntraSettings,
  now: string,
): boolean {
  const nowMs = Date.parse(now)
  const isRecent = Math.abs(iat * 1000 - nowMs) <= toleranceMs && exp * 1000 > nowMs - toleranceMs
  const isNamed = isGuid(tid) && isGuid(oid) && sub.length <= 255
  return isRecent && isNamed && aud === appId && iss === tenantIssuerOf(cloud, tid)
}

async function isSigned(
  hint: string,
  key: TenantKey,
  { issuer, appId, now }: { issuer: string; appId: string; now: string },
): Promise<boolean> {
  try {
    await jwtVerify(hint, key.jwks, {
      ...{ issuer, audience: appId, algorithms: ['RS256'] },
      ...{ currentDate: new Date(now), clockTolerance: toleranceMs / 1000 },
    })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}
