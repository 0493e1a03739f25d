import { fail } from '../base/errors.ts'
import type { Kit } from './kit.ts'

/** Without an organization before there is any. */
export type ServedAddress = {
  organizationId: string | undefined
  baseUrl: string
}

/**
 * Whose address a request without a key came to: a host that is an organization's own is that organization's, every
 * other is the first organization's, at MUSTER_BASE_URL. Fails with not_found at an address that has ended.
 */
export async function findServedAddress(
  { db, config, ownAddressOf }: Pick<Kit, 'db' | 'config' | 'ownAddressOf'>,
  host: string,
): Promise<ServedAddress> {
  const own = await ownAddressOf(host)
  if (own?.isEnded) fail('not_found')
  if (own) return own
  const first = await db.selectFrom('organizations').select('id').orderBy('id').limit(1).executeTakeFirst()
  return { organizationId: first?.id, baseUrl: config.baseUrl }
}
