import type { OptionDefinitions } from '../../compliance/templates/options.ts'
import type { AgentNeed } from './agent-needs.ts'

/** A check that comes with Muster; an organization's configuration decides whether and where it runs. */
export type CatalogueCheck = {
  /** Never changes once released: configurations and API clients refer to it. */
  slug: string
  /** Raised with every change of what stands here, so that organizations get it; absent: 1. */
  edition?: number
  name: string
  platforms: readonly ('darwin' | 'windows' | 'linux')[]
  description: string
  topics: readonly string[]
  /** osquery SQL as a Liquid template over `options`; see renderSql. Every row has KOLIDE_CHECK_STATUS. */
  sql: string
  options: OptionDefinitions
  /** Versions of osquery that its SQL asks for by `agentNeeds`. */
  needs?: readonly AgentNeed[]
  /** What it cannot know, in a sentence or two for docs/checks.md. */
  cannotTell?: string
  /** The column that tells the issues of one device apart; null where the SQL answers one row. */
  primaryKeyColumn: string | null
  issueTitle: string
  /** Why it matters: Markdown as a Liquid template over `options` and `rows`; see renderText. */
  rationale: string
  /** Numbered steps for the owner of the device, templated as the rationale is. */
  fixInstructions: string
  /** Absent: hourly. */
  intervalMinutes?: number
  /** Runs, and only reports, from the first start of an organization. */
  enabledByDefault: boolean
  /** What the check reads about a person or their files, where it does. */
  privacyInfo?: string
}

export const editionOf = ({ edition = 1 }: CatalogueCheck): number => edition
