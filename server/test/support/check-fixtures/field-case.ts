import type { Tables } from './osquery-database.ts'

/** What a machine in the field answers, and what the check says of it. */
export type FieldCase = {
  slug: string
  /** Which machine it is, as the end of "when …". */
  when: string
  /** Where such rows were made public, in words. */
  source: string
  /** As osquery gives them: numbers may be text, and what is missing is empty. */
  tables: Tables
  /** The status of each row of the answer, in its order. */
  says: readonly string[]
  /** The version of osquery that the rows name as needed, where they do. */
  needs?: string
  /** What the rows give as their reason, where a row that says UNKNOWN has one. */
  reason?: RegExp
}
