import fs from 'node:fs'
import path from 'node:path'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type OpenFile = { nfd: number }
type WithNodeFiles = { NODEFS: { stream_ops: { fsync?: (file: OpenFile) => number } } }

/**
 * PGlite's file system with an fsync that reaches the disk. The stock one has none, so a commit is acknowledged while
 * it is in the page cache only. `fdatasync` cannot be supplied this way, hence `wal_sync_method` below.
 */
export class DurableFileSystem extends NodeFS {
  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options)
    const supplyFsync = (module: unknown) => {
      const { NODEFS } = module as WithNodeFiles
      NODEFS.stream_ops.fsync = ({ nfd }) => {
        fs.fsyncSync(nfd)
        return 0
      }
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), supplyFsync] } }
  }
}

const sessionParameters = ['-c', 'TimeZone=UTC', '-c', 'DateStyle=ISO']

/** How the engine starts: durably on a folder (`pgdata` within it), without any syncing in memory. */
export function engineOptions(dataDir: string | undefined): Pick<PGliteOptions, 'fs' | 'startParams'> {
  if (dataDir === undefined) return { startParams: [...PGlite.defaultStartParams, ...sessionParameters] }
  return {
    fs: new DurableFileSystem(path.join(dataDir, 'pgdata')),
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      ...sessionParameters,
      ...['-c', 'fsync=on', '-c', 'synchronous_commit=on', '-c', 'wal_sync_method=fsync'],
    ],
  }
}

const incompleteMark = 'pgdata.incomplete'

/** Removes what an interrupted creation left behind: nothing in it was ever acknowledged. */
export function prepareFolder(dataDir: string): { isNew: boolean } {
  const [data, mark] = [path.join(dataDir, 'pgdata'), path.join(dataDir, incompleteMark)]
  if (fs.existsSync(mark)) fs.rmSync(data, { recursive: true, force: true })
  const isNew = !fs.existsSync(path.join(data, 'PG_VERSION'))
  if (isNew) {
    fs.writeFileSync(mark, '')
    syncPath(mark)
    syncPath(dataDir)
  }
  return { isNew }
}

/** Puts a newly created database on the disk as a whole, after which it counts as complete. */
export function completeFolder(dataDir: string): void {
  const data = path.join(dataDir, 'pgdata')
  for (const entry of fs.readdirSync(data, { recursive: true, withFileTypes: true })) {
    syncPath(path.join(entry.parentPath, entry.name))
  }
  syncPath(data)
  fs.rmSync(path.join(dataDir, incompleteMark))
  syncPath(dataDir)
}

function syncPath(file: string): void {
  const descriptor = fs.openSync(file, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
