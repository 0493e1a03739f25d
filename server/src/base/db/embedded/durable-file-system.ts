import fs from 'node:fs'
import path from 'node:path'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { incompleteMark, removeLeftovers } from './folder-copies.ts'
import { syncFiles, syncPath } from './sync-files.ts'

type OpenFile = { nfd: number }
type NodeFiles = {
  stream_ops: {
    fsync?: (file: OpenFile) => number
    write: (file: OpenFile, buffer: Uint8Array, offset: number, length: number, position: number) => number
  }
  /** Turns a fault into the error number that the engine understands. */
  tryFSOperation<T>(operation: () => T): T
}

/**
 * PGlite's file system with an fsync that reaches the disk. The stock one has none, so a commit is acknowledged while
 * it is in the page cache only. `fdatasync` cannot be supplied this way, hence `wal_sync_method` below.
 */
export class DurableFileSystem extends NodeFS {
  /** Bytes written to any file so far. */
  writtenBytes = 0

  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options)
    const extend = (module: unknown) => this.#extend((module as { NODEFS: NodeFiles }).NODEFS)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), extend] } }
  }

  #extend({ stream_ops, tryFSOperation }: NodeFiles): void {
    const { write } = stream_ops
    stream_ops.fsync = ({ nfd }) => {
      tryFSOperation(() => fs.fsyncSync(nfd))
      return 0
    }
    stream_ops.write = (file, buffer, offset, length, position) => {
      this.writtenBytes += length
      return write(file, buffer, offset, length, position)
    }
  }
}

const sessionParameters = ['-c', 'TimeZone=UTC', '-c', 'DateStyle=ISO']

/** The engine writes zeros to all of its buffers at once; the default of 128 MB would be most of an idle trial. */
const smallBuffers = ['-c', 'shared_buffers=16MB']

/** In memory nothing is synced. */
export function memoryOptions(): PGliteOptions {
  return { startParams: [...PGlite.defaultStartParams, ...sessionParameters, ...smallBuffers] }
}

/** On a folder every commit is; the write-ahead log is kept short, since a checkpoint removes what exceeds it. */
export function durableOptions(fileSystem: DurableFileSystem): PGliteOptions {
  const parameters = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F')
  const durable = ['-c', 'fsync=on', '-c', 'synchronous_commit=on', '-c', 'wal_sync_method=fsync']
  const short = ['-c', 'min_wal_size=32MB', '-c', 'max_wal_size=64MB']
  return { fs: fileSystem, startParams: [...parameters, ...sessionParameters, ...smallBuffers, ...durable, ...short] }
}

/** The PostgreSQL that the engine's exact version is built from; its files are of no use to another major version. */
const engineVersion = '18'

/**
 * Removes what an interrupted creation left behind: nothing in it was ever acknowledged. Throws for files of another
 * PostgreSQL version.
 */
export function prepareFolder(dataDir: string): { isNew: boolean } {
  removeLeftovers(dataDir)
  const [data, mark] = [path.join(dataDir, 'pgdata'), path.join(dataDir, incompleteMark)]
  if (fs.existsSync(mark)) fs.rmSync(data, { recursive: true, force: true })
  const version = writtenBy(data)
  if (version !== undefined && version !== engineVersion) {
    throw new Error(`${dataDir} was written by PostgreSQL ${version}, and the embedded engine is ${engineVersion}`)
  }
  const isNew = version === undefined
  if (isNew) {
    fs.writeFileSync(mark, '')
    syncPath(mark)
    syncPath(dataDir)
  }
  return { isNew }
}

function writtenBy(data: string): string | undefined {
  const file = path.join(data, 'PG_VERSION')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : undefined
}

/**
 * Copies the files of a database that another process has made and closed, in place of making them. Returns false, and
 * leaves nothing behind, when they cannot be read: the database is then made as usual.
 */
export function copyPrepared(prepared: string, dataDir: string): boolean {
  try {
    if (writtenBy(path.join(prepared, 'pgdata')) !== engineVersion) return false
    fs.cpSync(path.join(prepared, 'pgdata'), path.join(dataDir, 'pgdata'), {
      recursive: true,
      mode: fs.constants.COPYFILE_FICLONE,
    })
    return true
  } catch {
    removeFiles(dataDir)
    return false
  }
}

export function removeFiles(dataDir: string): void {
  fs.rmSync(path.join(dataDir, 'pgdata'), { recursive: true, force: true })
}

/** Puts a newly created database on the disk as a whole, after which it counts as complete. */
export function completeFolder(dataDir: string): void {
  syncFiles(path.join(dataDir, 'pgdata'))
  fs.rmSync(path.join(dataDir, incompleteMark))
  syncPath(dataDir)
}
