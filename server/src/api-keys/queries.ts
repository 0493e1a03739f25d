import { inOrganization } from '../db/in-organization.ts'
import type { Reader } from '../db/transact.ts'

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
  ])

/** The keys in force, without their secrets. */
export const listApiKeys = (reader: Reader, organizationId: string) =>
  withoutSecrets(reader, organizationId).orderBy('id').execute()

/** The same behind another, at most so many. */
export const listApiKeysAfter = (reader: Reader, organizationId: string, afterId: string, limit: number) =>
  withoutSecrets(reader, organizationId).where('id', '>', afterId).orderBy('id').limit(limit).execute()

export const readApiKey = (reader: Reader, organizationId: string, id: string) =>
  withoutSecrets(reader, organizationId).where('id', '=', id).executeTakeFirst()

export const findApiKey = (reader: Reader, organizationId: string, id: string) =>
  fromApiKeys(reader, organizationId).select(['id', 'name', 'sealed_key']).where('id', '=', id).executeTakeFirst()
