import type { CheckFacts, CheckView } from '@muster/contract/console-checks.ts'
import { ownerTextsOf } from '../../compliance/issues/owner-texts.ts'
import type { OptionDefinitions, OptionValues } from '../../compliance/templates/options.ts'
import { renderSql } from '../../compliance/templates/render-sql.ts'
import { TemplateError } from '../../compliance/templates/template-error.ts'
import type { CheckFactsRow, CheckViewRow, countStatuses } from './check-queries.ts'

const platforms = ['darwin', 'windows', 'linux'] as const

export const describeCheck = (row: CheckViewRow): CheckView => ({
  id: row.id,
  name: row.name,
  description: row.description,
  platforms: platforms.filter((platform) => row.platforms.includes(platform)),
  kind: row.is_provided ? 'catalogue' : row.type === 'external' ? 'external' : 'own',
  strategy: row.remediation_strategy,
  is_paused: row.paused_at !== null,
  tags: row.tags,
  counted: row.counted,
  passing: row.passing,
  failing: row.failing,
  errored: row.errored,
  unknown: row.unknown,
  stale: row.stale,
  pending: row.pending,
})

type Counts = Awaited<ReturnType<typeof countStatuses>>

type Counted = { counts: Counts; openIssues: number; upgrade: CheckFacts['upgrade'] }

export function describeCheckFacts(row: CheckFactsRow, { counts, openIssues, upgrade }: Counted): CheckFacts {
  const count = (status: Counts[number]['status']) => counts.find((counted) => counted.status === status)?.count ?? 0
  return {
    ...describeCheck(row),
    slug: row.slug,
    issue_title: row.issue_title,
    statuses: {
      passing: count('passing'),
      failing: count('failing'),
      unknown: count('unknown'),
      errored: count('errored'),
      inapplicable: count('inapplicable'),
      stale: count('stale'),
      pending: count('pending'),
      out_of_scope: count('out_of_scope'),
    },
    silent: counts.reduce((sum, { silent }) => sum + silent, 0),
    never_reported: counts.reduce((sum, { never }) => sum + never, 0),
    open_issues: openIssues,
    sql_template: row.sql_template,
    sql: sqlOf(row),
    ...ownerTextsOf(row, []),
    primary_key_column: row.primary_key_column,
    interval_seconds: row.interval_seconds,
    option_definitions: JSON.stringify(row.option_definitions),
    privacy_info: row.privacy_info,
    recomputing: row.recomputing_since !== null,
    upgrade,
  }
}

/** A template that no longer renders is shown as it is. */
function sqlOf({ sql_template: template, option_definitions, options }: CheckFactsRow): string | null {
  if (template === null) return null
  try {
    return renderSql(template, option_definitions as OptionDefinitions, options as OptionValues)
  } catch (error) {
    if (error instanceof TemplateError) return template
    throw error
  }
}
