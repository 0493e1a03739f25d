import { findFirstOrganization } from '../../base/db/first-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { isSecure } from '../egress/address-rules.ts'

/** Where the OpenID provider is below it. */
export const issuerPath = '/signin/oidc'
/** Where applications sign people out (RP-Initiated Logout 1.0 §2). */
export const endSessionPath = `${issuerPath}/session/end`

/** Where people of an organization sign in: its own address, or the server's for the first one. */
export async function findSignInAddress(
  reader: Reader,
  organizationId: string,
  serverUrl: string,
): Promise<string | undefined> {
  const row = await reader
    .selectFrom('organizations')
    .select('base_url')
    .where('id', '=', organizationId)
    .executeTakeFirst()
  if (row?.base_url) return row.base_url
  return (await findFirstOrganization(reader)) === organizationId ? serverUrl : undefined
}

/** The address, where people can sign in at it. Fails with invalid otherwise, and says what to do. */
export async function requireSignInAddress(reader: Reader, organizationId: string, serverUrl: string): Promise<string> {
  const address = await findSignInAddress(reader, organizationId, serverUrl)
  if (address === undefined) {
    return fail('invalid', {
      message: 'Give the organization an address of its own first: muster organizations set-base-url.',
    })
  }
  if (isSecure(new URL(address))) return address
  return fail('invalid', { message: `People cannot sign in at ${address}: set an https address as MUSTER_BASE_URL.` })
}
