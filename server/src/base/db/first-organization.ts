import type { Reader } from './transact.ts'

/** The organization that MUSTER_BASE_URL is the address of; undefined before there is any. */
export async function findFirstOrganization(reader: Reader): Promise<string | undefined> {
  const row = await reader.selectFrom('organizations').select('id').orderBy('id').limit(1).executeTakeFirst()
  return row?.id
}
