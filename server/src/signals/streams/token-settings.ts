import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { audienceOf } from './audience.ts'
import type { StreamKey } from './number-events.ts'
import { streamIssuer } from './stream-issuer.ts'

/** The key that signs at a moment for `ssf_streams` of the statement that this is part of; null where there is none yet. */
export const signingKidAt = (moment: RawBuilder<unknown>) => sql<string | null>`(
  select key.kid from signing_keys as key
  where key.purpose = 'signals' and key.organization_id = ssf_streams.organization_id
    and key.withdrawn_at is null and key.active_from <= ${moment}
    and (key.retired_at is null or key.retired_at > ${moment})
  order by key.active_from desc limit 1
)`

type Settings = { issuer: string; audience: string; specVersion: string; deviceSubjectFormat: string }
type Row = StreamKey & {
  uuid: string
  storedIssuer: string
  ownAudience: string | null
  specVersion: string
  deviceSubjectFormat: string
  before: Settings | null
}

/**
 * Notes what tokens of a stream say from now on, after it was made or changed; events that are queued already say what
 * they said. Nothing is written where nothing changed.
 */
export const noteTokenSettings = async (tx: Tx, stream: StreamKey, baseUrl: string): Promise<void> => {
  const { organizationId, streamId } = stream
  const isIt = sql<SqlBool>`${inOrganization('ssf_streams', organizationId)} and ssf_streams.id = ${streamId}::bigint`
  await noteOf(tx, await listSettings(tx, isIt, 1), baseUrl)
}

const streamsAtOnce = 500

/** The same for every stream, since MUSTER_BASE_URL may be another than at the last start. */
export async function noteEveryTokenSettings(db: Db, baseUrl: string): Promise<void> {
  let after: StreamKey = { organizationId: '0', streamId: '0' }
  for (;;) {
    const { organizationId, streamId } = after
    const isLater = sql<SqlBool>`(ssf_streams.organization_id, ssf_streams.id) > (${organizationId}::bigint, ${streamId}::bigint)`
    const rows = await transact(db, async (tx) => {
      const page = await listSettings(tx, isLater, streamsAtOnce)
      await noteOf(tx, page, baseUrl)
      return page
    })
    const last = rows.at(-1)
    if (!last) return
    after = last
  }
}

/** Locked, in their order, until the transaction ends. */
async function listSettings(tx: Tx, isWanted: RawBuilder<SqlBool>, most: number): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select ssf_streams.organization_id as "organizationId", ssf_streams.id as "streamId", ssf_streams.stream_id as uuid,
      ssf_streams.issuer as "storedIssuer", ssf_streams.audience as "ownAudience",
      ssf_streams.spec_version as "specVersion", ssf_streams.device_subject_format as "deviceSubjectFormat",
      case when settings.id is not null then jsonb_build_object(
        'issuer', settings.issuer, 'audience', settings.audience, 'specVersion', settings.spec_version,
        'deviceSubjectFormat', settings.device_subject_format) end as before
    from ssf_streams left join ssf_token_settings as settings
      on settings.organization_id = ssf_streams.organization_id and settings.stream_id = ssf_streams.id
        and settings.id = ssf_streams.token_settings_id
    where ${isWanted} and ssf_streams.deleted_at is null
    order by ssf_streams.organization_id, ssf_streams.id limit ${most}::integer
    for no key update of ssf_streams
  `.execute(tx)
  return rows
}

function settingsOf(row: Row, commonBaseUrl: string): Settings {
  const { storedIssuer, ownAudience, uuid, specVersion, deviceSubjectFormat } = row
  const { issuer, baseUrl } = streamIssuer(storedIssuer, commonBaseUrl)
  const audience = audienceOf({ audience: ownAudience, stream_id: uuid }, baseUrl)
  return { issuer, audience, specVersion, deviceSubjectFormat }
}

const isSame = (one: Settings, other: Settings | null): boolean =>
  one.issuer === other?.issuer &&
  one.audience === other.audience &&
  one.specVersion === other.specVersion &&
  one.deviceSubjectFormat === other.deviceSubjectFormat

async function noteOf(tx: Tx, rows: readonly Row[], baseUrl: string): Promise<void> {
  const all = rows.map((row) => ({ ...row, now: settingsOf(row, baseUrl) }))
  const changed = all.filter(({ now, before }) => !isSame(now, before))
  if (changed.length === 0) return
  await sql`
    with added as (
      insert into ssf_token_settings
        (organization_id, stream_id, id, issuer, audience, spec_version, device_subject_format)
      select organization_id, stream_id, 1 + coalesce((
        select max(id) from ssf_token_settings as earlier
        where earlier.organization_id = changed.organization_id and earlier.stream_id = changed.stream_id
      ), 0), issuer, audience, spec_version, device_subject_format
      from unnest(
        ${changed.map(({ organizationId }) => organizationId)}::bigint[], ${changed.map(({ streamId }) => streamId)}::bigint[],
        ${changed.map(({ now }) => now.issuer)}::text[], ${changed.map(({ now }) => now.audience)}::text[],
        ${changed.map(({ now }) => now.specVersion)}::text[], ${changed.map(({ now }) => now.deviceSubjectFormat)}::text[]
      ) as changed (organization_id, stream_id, issuer, audience, spec_version, device_subject_format)
      returning organization_id, stream_id, id
    )
    update ssf_streams set token_settings_id = added.id from added
    where ssf_streams.organization_id = added.organization_id and ssf_streams.id = added.stream_id
  `.execute(tx)
}
