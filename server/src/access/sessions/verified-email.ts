import { readVerified } from '../../base/relying-party/read-verified.ts'
import { type Claims, isPlainEmail } from '../../base/relying-party/relying-party.ts'
import { isTenantIssuer } from '../../sign-in/connections/entra-rules.ts'

type Facts = {
  /** The issuer of the settings. */
  issuer: string
  /** Of the signed ID token. */
  token: Claims
  /** What the provider says of the same person beside it. */
  beside: Claims
}

/** As Microsoft Entra writes it, in tokens of different versions. */
const entraYes: readonly unknown[] = [true, 'true', 1, '1']

/**
 * The address that the provider says is the person's, and whether there is one of which it does not say so. Microsoft Entra
 * says it by `xms_edov` (the owner of the domain is verified), which is about the address beside it in the token. It counts
 * where the settings name the one tenant that issued the token: whoever has a tenant decides what it says.
 */
export function readEmail({ issuer, token, beside }: Facts): { verified: string | undefined; isUnverified: boolean } {
  const said = { ...token, ...beside }
  const isVerified = readVerified(said['email_verified'])
  const isOfTenant = isTenantIssuer(issuer) && token['iss'] === issuer
  const isByEntra = isVerified === undefined && isOfTenant && entraYes.includes(token['xms_edov'])
  const email = isByEntra ? token['email'] : said['email']
  if (!isPlainEmail(email)) return { verified: undefined, isUnverified: false }
  return isVerified || isByEntra
    ? { verified: email, isUnverified: false }
    : { verified: undefined, isUnverified: true }
}
