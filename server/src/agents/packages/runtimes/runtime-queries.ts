import type { RuntimeSystem } from '@muster/contract/packages.ts'
import { sql } from 'kysely'
import type { Reader } from '../../../base/db/transact.ts'

const columns = [
  'system',
  'node_version',
  'source',
  'sha256',
  'md5',
  'size',
  'needs_libatomic',
  'lowest_macos',
  'packed_sha256',
  'packed_size',
  'added_at',
] as const

export type AddedRuntime = Awaited<ReturnType<typeof listRuntimes>>[number]

/** Those that were added to this deployment: six at most. */
export const listRuntimes = (reader: Reader) =>
  reader.selectFrom('package_runtimes').select(columns).orderBy('system').execute()

export const findRuntime = (reader: Reader, system: RuntimeSystem) =>
  reader
    .selectFrom('package_runtimes')
    .select([...columns, 'license'])
    .where('system', '=', system)
    .executeTakeFirst()

/** The hashes of the packed executables in the database: of those that were added, and of earlier ones that scripts fetch. */
export async function listPacked(reader: Reader): Promise<string[]> {
  const rows = await reader
    .selectFrom('package_runtimes')
    .select('packed_sha256 as sha256')
    .union(reader.selectFrom('package_parts').select('sha256').where('number', '=', 1))
    .execute()
  return rows.map(({ sha256 }) => sha256)
}

/** A piece of such an executable, or of another part that scripts fetch; undefined after the last. */
export async function findPiece(reader: Reader, sha256: string, number: number): Promise<Buffer | undefined> {
  const row = await reader
    .selectFrom('package_runtimes as runtime')
    .innerJoin('package_runtime_pieces as piece', 'piece.system', 'runtime.system')
    .select('piece.bytes')
    .where('runtime.packed_sha256', '=', sha256)
    .where('piece.number', '=', number)
    .unionAll(
      reader.selectFrom('package_parts').select('bytes').where('sha256', '=', sha256).where('number', '=', number),
    )
    .limit(1)
    .executeTakeFirst()
  return row?.bytes
}

/** How long such a part is, and of how many pieces; undefined where there is none. */
export async function findSize(reader: Reader, sha256: string): Promise<{ size: number; pieces: number } | undefined> {
  const row = await reader
    .selectFrom('package_parts')
    .select([sql<number>`sum(octet_length(bytes))::integer`.as('size'), sql<number>`count(*)::integer`.as('pieces')])
    .where('sha256', '=', sha256)
    .groupBy('sha256')
    .unionAll(
      reader
        .selectFrom('package_runtimes as runtime')
        .innerJoin('package_runtime_pieces as piece', 'piece.system', 'runtime.system')
        .select(['runtime.packed_size as size', sql<number>`count(*)::integer`.as('pieces')])
        .where('runtime.packed_sha256', '=', sha256)
        .groupBy(['runtime.system', 'runtime.packed_size']),
    )
    .limit(1)
    .executeTakeFirst()
  return row
}
