import type { Insertable, Selectable } from 'kysely'
import { ulid } from 'ulid'
import type { Database } from '../../src/base/db/schema.ts'
import type { Db } from '../../src/base/db/transact.ts'
import { startOfTests } from './make.ts'

type Row<Table extends keyof Database> = Selectable<Database[Table]>
type Columns<Table extends keyof Database> = Partial<Omit<Insertable<Database[Table]>, 'organization_id'>>

/** Rows of the delivery log, by column names. Endpoints are made beside everything else. */
export function webhookRowsIn(database: { readonly db: Db }) {
  async function message(
    organizationId: string,
    columns: Columns<'webhook_messages'> = {},
  ): Promise<Row<'webhook_messages'>> {
    const id = ulid()
    return database.db
      .insertInto('webhook_messages')
      .values({
        organization_id: organizationId,
        message_id: id,
        event: 'device_trust.status_changed',
        body: JSON.stringify({ event: 'device_trust.status_changed', id }),
        occurred_at: startOfTests,
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  }

  /** Of a message of its own, unless `message_id` names the row of another. */
  async function delivery(
    of: Pick<Row<'webhook_endpoints'>, 'organization_id' | 'id'>,
    columns: Columns<'webhook_deliveries'> = {},
  ): Promise<Row<'webhook_deliveries'>> {
    const { event = 'device_trust.status_changed', device_id = null, queued_at = startOfTests } = columns
    const said = { event, device_id, occurred_at: queued_at }
    const messageId = columns.message_id ?? (await message(of.organization_id, said)).id
    const isPending = (columns.state ?? 'pending') === 'pending'
    return database.db
      .insertInto('webhook_deliveries')
      .values({
        ...{ organization_id: of.organization_id, endpoint_id: of.id, event, device_id, queued_at },
        ...(isPending ? { next_attempt_at: queued_at } : { settled_at: queued_at }),
        ...columns,
        message_id: messageId,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  }

  async function attempt(of: Row<'webhook_deliveries'>, columns: Columns<'webhook_attempts'> = {}): Promise<void> {
    await database.db
      .insertInto('webhook_attempts')
      .values({
        ...{ organization_id: of.organization_id, endpoint_id: of.endpoint_id, delivery_id: of.id },
        attempted_at: startOfTests,
        request_headers: JSON.stringify({ 'content-type': 'application/json' }),
        ...{ dns_ms: 1, connect_ms: 2, tls_ms: 3, first_byte_ms: 10, total_ms: 12.5 },
        ...columns,
      })
      .execute()
  }

  return { message, delivery, attempt }
}
