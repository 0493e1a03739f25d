import { CommandError, exitCodes } from '../command-error.ts'
import { readTextFile } from './read-text-file.ts'

type DraftFlags = {
  file?: string
  name?: string
  slug?: string
  description?: string
  type?: string
  target?: string
  platform?: string[]
  intervalMinutes?: number
  sqlFile?: string
  primaryKeyColumn?: string
  /** False for `--no-primary-key`. */
  primaryKey: boolean
  issueTitle?: string
  rationaleFile?: string
  fixInstructionsFile?: string
  privacyInfo?: string
}

/** The fields of a draft that the flags give; a flag comes before the same field of the file. */
export async function readDraftFlags(flags: DraftFlags): Promise<Record<string, unknown>> {
  const given = {
    name: flags.name,
    slug: flags.slug,
    description: flags.description,
    check_type: flags.type,
    target_type: flags.target,
    platforms: flags.platform,
    interval_minutes: flags.intervalMinutes,
    osquery_sql: await textOf(flags.sqlFile),
    ...primaryKeyOf(flags),
    issue_title: flags.issueTitle,
    rationale_template: await textOf(flags.rationaleFile),
    fix_instructions_template: await textOf(flags.fixInstructionsFile),
    privacy_info: flags.privacyInfo,
  }
  const fromFile = flags.file === undefined ? {} : jsonOf(flags.file, (await textOf(flags.file)) ?? '')
  return { ...fromFile, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
}

function primaryKeyOf({ primaryKey, primaryKeyColumn }: DraftFlags) {
  if (!primaryKey) return { requires_primary_key: false, primary_key_column: '' }
  return primaryKeyColumn === undefined ? {} : { requires_primary_key: true, primary_key_column: primaryKeyColumn }
}

/** Editors end a file with a line end, which is no part of a query or text. */
const textOf = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined ? undefined : (await readTextFile(path)).trim()

function jsonOf(path: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch (error) {
    throw new CommandError(exitCodes.usage, `${path} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
  throw new CommandError(exitCodes.usage, `${path} must hold a JSON object`)
}
