import { inspectOsquerySql } from '../../base/osquery-sql/inspect-osquery-sql.ts'
import { renderSql } from '../../compliance/templates/render-sql.ts'
import type { AgentNeed } from './agent-needs.ts'
import type { CatalogueCheck } from './catalogue-check.ts'

const block = /(<!-- checks:start -->\n)[\s\S]*?(<!-- checks:end -->)/

/** A page of the documentation with its tables of what each check reads brought up to date; undefined without the block. */
export function withCatalogue(page: string, catalogue: readonly CatalogueCheck[]): string | undefined {
  if (!block.test(page)) return undefined
  const tables = [...Map.groupBy(catalogue, systemsOf)].map(([systems, checks]) => tableOf(systems, checks))
  return page.replace(block, (_, start: string, end: string) => `${start}\n${tables.join('\n\n')}\n\n${end}`)
}

const systemNames = { darwin: 'macOS', windows: 'Windows', linux: 'Linux' } as const

const systemsOf = ({ platforms: [only, ...others] }: CatalogueCheck): string =>
  only !== undefined && others.length === 0 ? systemNames[only] : 'Several systems'

const tableOf = (systems: string, checks: readonly CatalogueCheck[]): string =>
  [
    `#### ${systems}`,
    '',
    '| check | reads | needs osquery | cannot tell |',
    '|---|---|---|---|',
    ...checks.map(rowOf),
  ].join('\n')

function rowOf({ slug, sql, options, needs = [], cannotTell }: CatalogueCheck): string {
  const inspected = inspectOsquerySql(renderSql(sql, options, {}))
  const tables = inspected.kind === 'query' ? inspected.tables.toSorted() : []
  const read = tables.filter((table) => needs.length === 0 || !describesAgent.has(table))
  return `| \`${slug}\` | ${read.map((table) => `\`${table}\``).join(', ')} | ${needs.map(wordsOf).join('; ') || '–'} | ${cannotTell ?? '–'} |`
}

/** Read to find out how old the agent is. */
const describesAgent = new Set(['osquery_info', 'os_version'])

const wordsOf = ({ platform, fromRelease, osquery }: AgentNeed): string =>
  `${osquery}${fromRelease === undefined ? '' : ` on ${systemNames[platform]} ${fromRelease} and newer`}`
