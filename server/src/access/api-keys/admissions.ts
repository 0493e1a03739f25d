import type { Admission, Principal } from '../../base/callers.ts'
import type { Clock } from '../../base/clock.ts'
import { NoAnswer } from '../../base/db/answer-limit.ts'
import { runDirectly } from '../../base/db/run-directly.ts'
import type { Db } from '../../base/db/transact.ts'
import { type KeyRow, principalCache } from './principal.ts'

export type Admissions = {
  /** Counts one request of the key with this look-up hash; undefined when there is no such active key. */
  admit(lookupHash: Buffer): Promise<Admission | undefined>
}

export type AdmissionSettings = {
  db: Db
  windowMs: number
  clock: Clock
  /** Told once for each key of a batch. */
  onUse: (principal: Principal) => void
}

type Waiting = { resolve: (admission: Admission | undefined) => void; reject: (error: unknown) => void }
type Asked = { key: string; hash: Buffer; atMs: number; waiting: Waiting[] }

/** A statement that takes longer is not waited for. */
const nextAfterMs = 250
const maxUnderWay = 4
/** What is not answered may hold a key's row, so a third would wait for the same. */
const maxOfKey = 2
/** As long as for a connection. */
const maxWaitMs = 10_000

/**
 * Finds keys and counts their requests: one statement for all requests that arrive while the one before is under way,
 * so that revocation and the limit are exact across processes at a fraction of a statement each. While one is not
 * answered, others begin. A request that can be in none for ten seconds is rejected.
 */
export function startAdmissions({ db, windowMs, clock, onUse }: AdmissionSettings): Admissions {
  const principals = principalCache()
  const asked = new Map<string, Asked>()
  const underWay = new Map<string, number>()
  let statements = 0
  let isPlanned = false
  let timer: NodeJS.Timeout | undefined

  function admit(hash: Buffer): Promise<Admission | undefined> {
    return new Promise((resolve, reject) => {
      const key = hash.toString('latin1')
      const same = asked.get(key)
      if (same) same.waiting.push({ resolve, reject })
      else asked.set(key, { key, hash, atMs: performance.now(), waiting: [{ resolve, reject }] })
      plan()
    })
  }

  function plan(): void {
    if (isPlanned || asked.size === 0) return
    isPlanned = true
    // After the sockets of this turn of the event loop have been read.
    if (statements === 0) setImmediate(run)
    else timer = setTimeout(run, nextAfterMs)
  }

  function run(): void {
    clearTimeout(timer)
    isPlanned = false
    const isFree = ({ key }: Asked) => (underWay.get(key) ?? 0) < maxOfKey
    const batch = statements < maxUnderWay ? [...asked.values()].filter(isFree) : []
    if (batch.length > 0) begin(batch)
    giveUpLate()
    plan()
  }

  function begin(batch: readonly Asked[]): void {
    statements += 1
    for (const { key } of batch) {
      asked.delete(key)
      underWay.set(key, (underWay.get(key) ?? 0) + 1)
    }
    settle(batch)
      .catch((error: unknown) => {
        for (const { waiting } of batch) for (const { reject } of waiting) reject(error)
      })
      .finally(() => {
        statements -= 1
        for (const { key } of batch) {
          const left = (underWay.get(key) ?? 1) - 1
          if (left > 0) underWay.set(key, left)
          else underWay.delete(key)
        }
        run()
      })
  }

  function giveUpLate(): void {
    for (const { key, atMs, waiting } of asked.values()) {
      if (performance.now() - atMs < maxWaitMs) continue
      asked.delete(key)
      for (const { reject } of waiting)
        reject(new NoAnswer('The database does not answer, so this request could not be counted'))
    }
  }

  async function settle(batch: readonly Asked[]): Promise<void> {
    const hashes = batch.map(({ hash }) => hash)
    const hits = batch.map(({ waiting }) => waiting.length)
    const rows = await runDirectly<CountedKey>(db, statement, [hashes, hits, windowMs, clock()])
    const byPlace = new Map(rows.map((row) => [Number(row.place), row]))
    for (const [index, { waiting }] of batch.entries()) {
      const row = byPlace.get(index + 1)
      const principal = row && principals.of(row)
      if (principal) onUse(principal)
      for (const [turn, { resolve }] of waiting.entries()) {
        resolve(row && principal && admissionOf(row, principal, waiting.length - turn - 1))
      }
    }
  }

  return { admit }
}

const admissionOf = ({ used, milliseconds_left }: CountedKey, principal: Principal, after: number): Admission => ({
  principal,
  position: used - after,
  resetSeconds: Math.max(1, Math.ceil(milliseconds_left / 1000)),
})

type CountedKey = KeyRow & { place: string; used: number; milliseconds_left: number }

/**
 * A window starts at a key's first request and takes a fixed time; requests beyond the limit are counted as well but
 * do not prolong it. The database's clock is the one that all processes share; cut to what the column holds, so that rounding
 * up does not make a window longer than it is. Rows are locked in one order.
 */
const statement = `
  with asked as (
    select * from unnest($1::bytea[], $2::integer[]) with ordinality as asked (lookup_hash, hits, place)
  ), known as (
    select asked.place, asked.hits, api_keys.organization_id, api_keys.id as api_key_id, api_keys.name,
      api_keys.permissions::text as permissions, to_json(organizations.disabled_features)::text as disabled_features, organizations.base_url,
      organizations.old_addresses_ended_at is not null as is_at_own_address_only
    from asked
    join api_key_lookups on api_key_lookups.lookup_hash = asked.lookup_hash
    join api_keys on api_keys.organization_id = api_key_lookups.organization_id
      and api_keys.id = api_key_lookups.api_key_id and api_keys.revoked_at is null
      and (api_keys.expires_at is null or api_keys.expires_at > $4::timestamptz)
    join organizations on organizations.id = api_keys.organization_id
  ), counted as (
    insert into rate_limit_windows as counting (organization_id, api_key_id, started_at, used)
    select organization_id, api_key_id, date_trunc('milliseconds', now()), sum(hits) from known
    group by organization_id, api_key_id order by organization_id, api_key_id
    on conflict on constraint rate_limit_windows_pkey do update set
      started_at = case when counting.started_at + $3::integer * interval '1 millisecond' <= now()
        or counting.started_at > now() + $3::integer * interval '1 millisecond'
        then excluded.started_at else counting.started_at end,
      used = case when counting.started_at + $3::integer * interval '1 millisecond' <= now()
        or counting.started_at > now() + $3::integer * interval '1 millisecond'
        then excluded.used else least(counting.used + excluded.used, 1000000000) end
    returning organization_id, api_key_id, used,
      ceil(1000 * extract(epoch from started_at + $3::integer * interval '1 millisecond' - now()))::integer
        as milliseconds_left
  )
  select known.*, counted.used, counted.milliseconds_left
  from known join counted on counted.organization_id = known.organization_id and counted.api_key_id = known.api_key_id`
