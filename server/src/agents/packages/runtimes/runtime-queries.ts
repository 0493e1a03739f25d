import type { RuntimeSystem } from '@muster/contract/packages.ts'
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

/** A piece of the packed executable; undefined after the last. */
export async function findPiece(reader: Reader, system: RuntimeSystem, number: number): Promise<Buffer | undefined> {
  const row = await reader
    .selectFrom('package_runtime_pieces')
    .select('bytes')
    .where('system', '=', system)
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.bytes
}
