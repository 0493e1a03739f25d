import type { Sqlite } from './sqlite.ts'

/** The only version whose memory layout is known here. */
const knownVersion = 3_044_000
/** `flags` of `struct sqlite3`, its lower half, on a 32-bit machine: behind five pointers and two integers. */
const flagsOffset = 32
const flagsAtOpening = 0x80_04_80_e0
const dqsDml = 0x40_00_00_00

/**
 * Lets a name in double quotes that is no column be text, as osquery's SQLite does: `username = "root"`. This build
 * has that off and leaves out `sqlite3_db_config`, so the flag that SQLITE_DBCONFIG_DQS_DML stands for is set in place.
 * Fails when another build of SQLite is found, rather than write into memory that is laid out otherwise.
 */
export function takeDoubleQuotesAsText({ module, api, db }: Sqlite): void {
  const place = (db + flagsOffset) / Uint32Array.BYTES_PER_ELEMENT
  if (api.libversion_number() !== knownVersion || module.HEAPU32[place] !== flagsAtOpening) {
    throw new Error('This build of SQLite is not the one that the agent was made for')
  }
  module.HEAPU32[place] = flagsAtOpening | dqsDml
}
