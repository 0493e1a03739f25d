import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

const fromApiKeys = (reader: Reader, organizationId: string) =>
  reader.selectFrom('api_keys').where(inOrganization('api_keys', organizationId)).where('revoked_at', 'is', null)

const withoutSecrets = (reader: Reader, organizationId: string) =>
  fromApiKeys(reader, organizationId).select([
    'id',
    'name',
    'responsible_administrator',
    'permissions',
    'permission_uses',
    'uses_recorded_since',
    'created_at',
    'last_used_at',
    'expires_at',
    'needs_review_since',
  ])

/** The keys that were not revoked, without their secrets. */
export const listApiKeys = (reader: Reader, organizationId: string) =>
  withoutSecrets(reader, organizationId).orderBy('id').execute()

type KeyPage = { organizationId: string; afterId: string; isToReview: boolean; limit: number }

/** The same behind another, at most so many; only those that wait for a review where that is asked. */
export const listApiKeysAfter = (reader: Reader, { organizationId, afterId, isToReview, limit }: KeyPage) =>
  withoutSecrets(reader, organizationId)
    .where('id', '>', afterId)
    .$if(isToReview, (query) => query.where('needs_review_since', 'is not', null))
    .orderBy('id')
    .limit(limit)
    .execute()

export async function countKeysToReview(reader: Reader, organizationId: string): Promise<number> {
  const { count } = await fromApiKeys(reader, organizationId)
    .where('needs_review_since', 'is not', null)
    .select((of) => of.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const readApiKey = (reader: Reader, organizationId: string, id: string) =>
  withoutSecrets(reader, organizationId).where('id', '=', id).executeTakeFirst()

export const findApiKey = (reader: Reader, organizationId: string, id: string) =>
  fromApiKeys(reader, organizationId).select(['id', 'name', 'sealed_key']).where('id', '=', id).executeTakeFirst()
