import type { Platform } from './operating-systems.ts'
import { mentionedTables, runSql, type SqlOutcome, type TableRow, type TableSet } from './run-sql.ts'

/** For each check of the catalogue, rows that make it pass and rows that make it fail. */
export type CheckFixtures = Record<string, { pass: TableSet; fail: TableSet }>

type Rows = Record<string, string>[]

/** Answers to one check's SQL. Where only one of the two could be had, `either` is it, or what the SQL gave at all. */
export type CheckAnswers = { subject: string; pass: Rows; fail: Rows } | { either: SqlOutcome }

const triesPerText = 150

export function isCheck(sql: string): boolean {
  return /kolide_check_status/i.test(sql)
}

/**
 * Finds a passing and a failing answer by running the SQL over fixture sets that share tables with it, likeliest
 * first. Where the options of a check differ from the catalogue's, literals of the SQL are tried as fixture values.
 */
export function deriveCheckAnswers(
  sql: string,
  platform: Platform,
  fixtures: CheckFixtures,
  generic: TableSet,
): CheckAnswers {
  const subjects = likeliestFirst(sql, platform, fixtures)
  const found: Found = { subject: subjects[0] ?? '' }
  for (const subject of subjects) {
    const { pass = {}, fail = {} } = fixtures[subject] ?? {}
    const [passing, failing] = [runSql(sql, platform, pass), runSql(sql, platform, fail)]
    if (statusOf(passing) === 'PASS' && statusOf(failing) === 'FAIL')
      return { subject, pass: passing.rows, fail: failing.rows }
    keep(found, passing, subject)
    keep(found, failing, subject)
  }
  for (const { tables, subject } of variants(sql, subjects, fixtures)) {
    if (found.pass && found.fail) break
    keep(found, runSql(sql, platform, tables), subject)
  }
  const plain = runSql(sql, platform, generic)
  keep(found, plain, found.subject)
  if (found.pass && found.fail) return { subject: found.subject, pass: found.pass, fail: found.fail }
  const only = found.pass ?? found.fail
  return { either: only ? { rows: only, message: '' } : plain }
}

type Found = { subject: string; pass?: Rows; fail?: Rows }

/** What makes a check fail says better than what lets it pass which check of the catalogue it is. */
function keep(found: Found, outcome: SqlOutcome, subject: string) {
  const status = statusOf(outcome)
  if (status === 'PASS') found.pass ??= outcome.rows
  if (status !== 'FAIL' || found.fail) return
  found.fail = outcome.rows
  found.subject = subject
}

/** The status of a run: any FAIL, else ERROR, UNKNOWN, PASS, INAPPLICABLE. */
function statusOf(outcome: SqlOutcome): string | undefined {
  const statuses = new Set(
    outcome.rows.map((row) => Object.entries(row).find(([name]) => name.toUpperCase() === 'KOLIDE_CHECK_STATUS')?.[1]),
  )
  return ['FAIL', 'ERROR', 'UNKNOWN', 'PASS', 'INAPPLICABLE'].find((status) => statuses.has(status))
}

function likeliestFirst(sql: string, platform: Platform, fixtures: CheckFixtures): string[] {
  const mentioned = new Set(mentionedTables(sql, platform))
  const ownPrefix = platform === 'darwin' ? 'macos-' : `${platform}-`
  const scored = Object.entries(fixtures).map(([subject, { pass, fail }]) => {
    const tables = new Set([...Object.keys(pass), ...Object.keys(fail)])
    const shared = [...tables].filter((table) => mentioned.has(table)).length
    const foreign = /^(?:macos|windows|linux)-/.test(subject) && !subject.startsWith(ownPrefix)
    return { subject, shared, score: shared * 4 - (tables.size - shared) * 2 - (foreign ? 3 : 0) }
  })
  return scored
    .filter(({ shared }) => shared > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ subject }) => subject)
}

type Variant = { subject: string; tables: TableSet }

/** Fixture sets with one cell replaced by a literal of the SQL, up to a fixed number. */
function* variants(sql: string, subjects: string[], fixtures: CheckFixtures): Generator<Variant> {
  const { texts, numbers } = literalsOf(sql)
  let left = triesPerText
  for (const subject of subjects) {
    for (const tables of [fixtures[subject]?.pass ?? {}, fixtures[subject]?.fail ?? {}]) {
      for (const [table, rows] of Object.entries(tables)) {
        for (const [place, column, value] of cellsOf(rows)) {
          for (const literal of typeof value === 'number' ? numbers : texts) {
            if (left === 0) return
            left -= 1
            yield { subject, tables: { ...tables, [table]: rows.with(place, { ...rows[place], [column]: literal }) } }
          }
        }
      }
    }
  }
}

function* cellsOf(rows: readonly TableRow[]): Generator<[number, string, TableRow[string]]> {
  for (const [place, row] of rows.entries()) {
    for (const [column, value] of Object.entries(row)) if (value !== null) yield [place, column, value]
  }
}

/** Numbers also come one higher and one lower, to land on either side of a limit. */
function literalsOf(sql: string): { texts: string[]; numbers: number[] } {
  const texts = [...sql.matchAll(/'((?:[^']|'')*)'/g)]
    .map(([, text = '']) => text.replaceAll("''", "'"))
    .filter((text) => !/^(?:PASS|FAIL|ERROR|UNKNOWN|INAPPLICABLE|none|)$/.test(text))
  const numbers = [...sql.matchAll(/\b\d{1,12}\b/g)].map(([digits]) => Number(digits))
  return {
    texts: [...new Set(texts)],
    numbers: [...new Set(numbers.flatMap((number) => [number, number + 1, number - 1]))],
  }
}
