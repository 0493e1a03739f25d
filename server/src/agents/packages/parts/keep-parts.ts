import { createHash } from 'node:crypto'
import type { RuntimeSystem } from '@muster/contract/packages.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../../base/db/transact.ts'
import { fail } from '../../../base/errors.ts'
import { holdRuntimes, lockRuntimes } from '../runtimes/lock-runtimes.ts'

/** What a script fetches: bytes that are to be kept, or the packed Node that the deployment has. */
export type FetchedPart = { sha256: string; bytes?: Buffer }

export const partOf = (bytes: Buffer): FetchedPart => ({
  sha256: createHash('sha256').update(bytes).digest('hex'),
  bytes,
})

/**
 * Notes that a copy of a package names these parts, which stay from here on until the package has another secret. Fails with
 * `unavailable` where a Node of them was replaced since the copy was made.
 */
export async function nameParts(
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
  parts: readonly FetchedPart[],
): Promise<void> {
  if (parts.length === 0) return
  await holdRuntimes(tx)
  const own = parts.flatMap(({ sha256, bytes }) => (bytes ? [{ sha256, number: 0, bytes }] : []))
  if (own.length > 0)
    await tx
      .insertInto('package_parts')
      .values(own)
      .onConflict((on) => on.doNothing())
      .execute()
  const hashes = [...new Set(parts.map(({ sha256 }) => sha256))]
  const { rows } = await sql<{ there: string }>`
    select sha256 as there from package_parts where number = 0 and sha256 = any(${hashes}::text[])
    union
    select packed_sha256 from package_runtimes where packed_sha256 = any(${hashes}::text[])`.execute(tx)
  if (rows.length < hashes.length) fail('unavailable', { message: 'A Node was replaced just now: try again.' })
  await tx
    .updateTable('packages')
    .set({ fetches: sql`array(select distinct unnest(fetches || ${hashes}::text[]) order by 1)` })
    .where(inOrganization('packages', organizationId))
    .where('id', '=', id)
    .where(sql<boolean>`not fetches @> ${hashes}::text[]`)
    .execute()
}

/** The hashes that copies of packages name, of all organizations: a few for each version of Muster. */
async function listNamed(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    select distinct unnest(fetches) as sha256 from packages where fetches <> '{}'`.execute(tx)
  return rows.map(({ sha256 }) => sha256)
}

/** Before a runtime goes: its pieces become a part where copies of a package name it. The caller has locked the runtimes. */
export async function keepNamedRuntime(tx: Tx, system: RuntimeSystem): Promise<void> {
  await sql`
    insert into package_parts (sha256, number, bytes)
    select runtime.packed_sha256, piece.number, piece.bytes
    from package_runtimes as runtime
    join package_runtime_pieces as piece on piece.system = runtime.system
    where runtime.system = ${system} and runtime.packed_sha256 = any(${await listNamed(tx)}::text[])
    on conflict do nothing`.execute(tx)
}

/** Removes the parts that no package names anymore. */
export async function removeUnnamedParts(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    await lockRuntimes(tx)
    await sql`delete from package_parts where sha256 <> all(${await listNamed(tx)}::text[])`.execute(tx)
  })
}
