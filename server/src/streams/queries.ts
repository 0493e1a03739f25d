import { inOrganization } from '../db/in-organization.ts'
import type { Reader } from '../db/transact.ts'

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const largestId = 9_223_372_036_854_775_807n

const fromStreams = (reader: Reader, organizationId: string) =>
  reader.selectFrom('ssf_streams').where(inOrganization('ssf_streams', organizationId)).where('deleted_at', 'is', null)

export type Stream = NonNullable<Awaited<ReturnType<typeof findStream>>>

/** A stream by its `id` or its `stream_id`; what is neither finds nothing. */
export async function findStream(reader: Reader, organizationId: string, reference: string) {
  const byId = /^\d{1,19}$/.test(reference) && BigInt(reference) <= largestId
  if (!byId && !uuid.test(reference)) return undefined
  return fromStreams(reader, organizationId)
    .selectAll('ssf_streams')
    .where(byId ? 'id' : 'stream_id', '=', reference)
    .executeTakeFirst()
}
