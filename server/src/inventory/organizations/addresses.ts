import type { Reader } from '../../base/db/transact.ts'

/** `isEnded`: the organization has left it and serves there no more. */
type OwnAddress = { organizationId: string; baseUrl: string; isEnded: boolean }

/** Whose own address a host is, in whatever form it was asked; undefined for every other, such as MUSTER_BASE_URL's. */
export async function findOwnAddress(reader: Reader, host: string): Promise<OwnAddress | undefined> {
  const origins = originsOf(host)
  if (origins.length === 0) return undefined
  const present = await reader
    .selectFrom('organizations')
    .select(['id as organizationId', 'base_url as baseUrl'])
    .where('base_url', 'in', origins)
    .limit(1)
    .executeTakeFirst()
  if (present) return { ...present, baseUrl: present.baseUrl ?? '', isEnded: false }
  const former = await reader
    .selectFrom('former_addresses')
    .select(['organization_id as organizationId', 'base_url as baseUrl', 'ended_at'])
    .where('base_url', 'in', origins)
    .orderBy('ended_at', (order) => order.desc().nullsFirst())
    .limit(1)
    .executeTakeFirst()
  return former && { organizationId: former.organizationId, baseUrl: former.baseUrl, isEnded: former.ended_at !== null }
}

/** As `URL.origin` writes them, with and without TLS: which of them it was, a proxy may not say. */
const originsOf = (host: string): string[] =>
  ['https', 'http'].flatMap((scheme) => URL.parse(`${scheme}://${host}`)?.origin ?? [])
