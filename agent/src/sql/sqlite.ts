import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Factory } from 'wa-sqlite'
import createModule from 'wa-sqlite/dist/wa-sqlite.mjs'
import type { SqlValue } from '../tables/table.ts'

export const SQLITE_OK = 0
export const SQLITE_ERROR = 1
export const SQLITE_DENY = 1
export const SQLITE_INTERRUPT = 9
export const SQLITE_CONSTRAINT = 19
export const SQLITE_ROW = 100
export const SQLITE_DONE = 101

/** The C functions that are called by pointer; the wrapper's own statement calls are asynchronous for no gain here. */
export type SqliteModule = {
  _sqlite3_malloc: (bytes: number) => number
  _sqlite3_free: (pointer: number) => void
  _sqlite3_prepare_v2: (db: number, sql: number, bytes: number, statement: number, tail: number) => number
  _sqlite3_step: (statement: number) => number
  _sqlite3_finalize: (statement: number) => number
  _sqlite3_column_count: (statement: number) => number
  _sqlite3_column_name: (statement: number, column: number) => number
  _sqlite3_column_text: (statement: number, column: number) => number
  _sqlite3_errmsg: (db: number) => number
  _sqlite3_result_error: (context: number, message: number, bytes: number) => void
  /** Another array once the memory has grown. */
  readonly HEAPU32: Uint32Array
  getValue: (pointer: number, type: string) => number
  UTF8ToString: (pointer: number) => string
  stringToUTF8: (text: string, pointer: number, bytes: number) => void
  lengthBytesUTF8: (text: string) => number
}

/** The part of sqlite3_index_info that the tables use. */
export type IndexInfo = {
  aConstraint: { iColumn: number; op: number; usable: boolean }[]
  aConstraintUsage: { argvIndex: number; omit: boolean }[]
  idxStr: string | null
  estimatedCost: number
  estimatedRows: number
}

export type VirtualTableModule = {
  xConnect: (db: number, appData: unknown, argv: string[], table: number, error: DataView) => number
  xBestIndex: (table: number, info: IndexInfo) => number
  xDisconnect: (table: number) => number
  xDestroy: (table: number) => number
  xOpen: (table: number, cursor: number) => number
  xClose: (cursor: number) => number
  xFilter: (cursor: number, idxNum: number, idxStr: string | null, values: ArrayLike<number>) => number
  xNext: (cursor: number) => number
  xEof: (cursor: number) => number
  xColumn: (cursor: number, context: number, column: number) => number
  xRowid: (cursor: number, rowid: DataView) => number
}

type ScalarFunction = (context: number, values: ArrayLike<number>) => void
type Authorizer = (userData: unknown, action: number, third: string | null, fourth: string | null) => number

export type SqliteApi = {
  libversion_number: () => number
  open_v2: (name: string) => Promise<number>
  create_module: (db: number, name: string, module: VirtualTableModule, appData: null) => number
  declare_vtab: (db: number, sql: string) => number
  create_function: (
    db: number,
    name: string,
    arity: number,
    encoding: number,
    appData: number,
    run: ScalarFunction,
  ) => number
  set_authorizer: (db: number, authorizer: Authorizer, userData: null) => number
  progress_handler: (db: number, operations: number, handler: () => number, userData: null) => void
  value: (pointer: number) => SqlValue | Uint8Array
  result: (context: number, value: SqlValue) => void
  result_double: (context: number, value: number) => void
  limit: (db: number, id: number, value: number) => number
}

export type Sqlite = { module: SqliteModule; api: SqliteApi; db: number }

/** Opens an empty database in memory on SQLite compiled to WebAssembly. */
export async function openSqlite(): Promise<Sqlite> {
  // The loader would fetch() a file: URL, which Node refuses; so the bytes are handed over.
  const path = createRequire(import.meta.url).resolve('wa-sqlite/dist/wa-sqlite.wasm')
  const module = (await createModule({ wasmBinary: await readFile(path) })) as SqliteModule
  const api = Factory(module) as unknown as SqliteApi
  return { module, api, db: await api.open_v2(':memory:') }
}

/** Puts a string into WebAssembly memory for the length of `use`. */
export function withCString<T>(module: SqliteModule, text: string, use: (pointer: number) => T): T {
  const bytes = module.lengthBytesUTF8(text) + 1
  const pointer = module._sqlite3_malloc(bytes)
  if (pointer === 0) throw new Error('out of memory')
  try {
    module.stringToUTF8(text, pointer, bytes)
    return use(pointer)
  } finally {
    module._sqlite3_free(pointer)
  }
}
