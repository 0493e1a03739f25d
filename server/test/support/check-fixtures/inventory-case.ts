import type { Tables } from './osquery-database.ts'

/** What a machine in the field answers, and what the inventory says of it. */
export type InventoryCase = {
  platform: 'darwin' | 'linux' | 'windows'
  /** The reporting table. */
  table: string
  /** Which machine it is, as the end of "of …". */
  of: string
  /** Where such rows were made public, in words. */
  source: string
  /** As osquery gives them: numbers may be text, and what is missing is empty. */
  tables: Tables
  /** The columns in question of each row, in the order of the answer; numbers as text, blank where nothing is told. */
  says: readonly Readonly<Record<string, string>>[]
}
