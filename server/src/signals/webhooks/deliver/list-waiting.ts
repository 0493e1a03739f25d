import { sql } from 'kysely'
import type { Db } from '../../../base/db/transact.ts'
import type { WorkKey } from '../../../base/jobs/leases.ts'
import type { Waiting, Want } from './endpoint-queue.ts'

export type Found = { waiting: Waiting[]; nextDueMs: number | undefined }

type Row = {
  endpointId: string
  /** Null in the row that tells when something else is due. */
  id: string | null
  messageId: string
  body: string
  event: string
  isOrdered: boolean
  attempts: number
  extraAttempts: number
  nextAttemptAt: string | null
}

const isFirstOfItsDevice = sql`(waiting.ordered_by is null or not exists (
  select from webhook_deliveries as earlier
  where earlier.organization_id = waiting.organization_id and earlier.endpoint_id = waiting.endpoint_id
    and earlier.ordered_by = waiting.ordered_by and earlier.state = 'pending' and earlier.id < waiting.id
))`
const ofEndpoint = sql`waiting.state = 'pending' and waiting.organization_id = wanted.organization_id
  and waiting.endpoint_id = wanted.endpoint_id`
const isFree = sql`${isFirstOfItsDevice} and waiting.id <> all(wanted.held)`

/**
 * The next deliveries of several endpoints at `now`, in one statement, each with what is sent; and when something else
 * is due. Of those that have an order only the first that waits.
 */
export async function listWaiting(
  db: Db,
  now: string,
  wanted: readonly { key: WorkKey; want: Want }[],
): Promise<Map<string, Found>> {
  const { rows } = await sql<Row>`
    select wanted.endpoint_id as "endpointId", found.id, message.message_id as "messageId", message.body, found.event,
      found.ordered_by is not null as "isOrdered", found.attempts, found.extra_attempts as "extraAttempts",
      found.next_attempt_at as "nextAttemptAt"
    from (
      select organization_id, endpoint_id, most, string_to_array(held, ',')::bigint[] as held, after
      from unnest(
        ${wanted.map(({ key }) => key.organizationId)}::bigint[], ${wanted.map(({ key }) => key.id)}::bigint[],
        ${wanted.map(({ want }) => want.room)}::integer[], ${wanted.map(({ want }) => want.except.join(','))}::text[],
        ${wanted.map(({ want }) => want.after ?? null)}::bigint[]
      ) as asked (organization_id, endpoint_id, most, held, after)
      -- Or the text would be taken apart for every row that is looked at.
      offset 0
    ) as wanted
    cross join lateral (
      (
        select waiting.* from webhook_deliveries as waiting
        where wanted.after is null and ${ofEndpoint} and waiting.next_attempt_at <= ${now}::timestamptz and ${isFree}
        order by waiting.next_attempt_at, waiting.id limit wanted.most
      ) union all (
        select waiting.* from webhook_deliveries as waiting
        where wanted.after is not null and ${ofEndpoint} and waiting.id > wanted.after and ${isFree}
        order by waiting.id limit wanted.most
      )
    ) as found
    join webhook_messages as message
      on message.organization_id = found.organization_id and message.id = found.message_id
    union all
    select wanted.endpoint_id, null, null, null, null, false, 0, 0, (
      select min(waiting.next_attempt_at) from webhook_deliveries as waiting
      where ${ofEndpoint} and waiting.next_attempt_at > ${now}::timestamptz
    )
    from unnest(
      ${wanted.map(({ key }) => key.organizationId)}::bigint[], ${wanted.map(({ key }) => key.id)}::bigint[]
    ) as wanted (organization_id, endpoint_id)
  `.execute(db)
  const found = new Map<string, Found>()
  for (const [endpointId, own] of Map.groupBy(rows, (row) => row.endpointId)) found.set(endpointId, foundOf(own))
  return found
}

function foundOf(rows: readonly Row[]): Found {
  const dueNext = rows.find(({ id }) => id === null)?.nextAttemptAt
  return {
    waiting: rows.flatMap(({ id, nextAttemptAt, endpointId: _, ...row }) =>
      id === null || nextAttemptAt === null ? [] : [{ ...row, id, nextAttemptMs: Date.parse(nextAttemptAt) }],
    ),
    nextDueMs: dueNext ? Date.parse(dueNext) : undefined,
  }
}
