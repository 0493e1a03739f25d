import type { SearchFields } from '@muster/contract/search.ts'
import type { Db, Reader } from '../base/db/transact.ts'
import { type Links, linksFor } from '../base/links.ts'
import type { ListPage } from '../base/lists/list-page.ts'
import { parseSearch } from '../base/lists/parse-search.ts'
import { SearchError } from '../base/lists/search-error.ts'
import type { SearchExpression } from '../base/lists/search-expression.ts'
import { CommandError, exitCodes } from './command-error.ts'
import type { CommandContext, CommandIo } from './data-command.ts'
import { maxListed } from './list-flags.ts'
import { organizationOf } from './organization-of.ts'
import { alignColumns, plainText } from './table.ts'

/** Rows that are read, aligned and printed together. */
const pageLength = 200

type Cells = readonly (string | null)[]
export type ListPlace = { reader: Reader; organizationId: string }

type Definition<Row> = {
  /** In the plural. */
  called: string
  /** Of the API, whose search and records these are. */
  operation: { readonly search?: SearchFields }
  list: (db: Db, page: ListPage<Record<string, never>>) => Promise<Row[]>
  present: (row: Row, links: Links) => object
  order?: 'ascending' | 'descending'
  /** Of the rows of a page, in their order. */
  cellsOf: (rows: readonly Row[], place: ListPlace) => Cells[] | Promise<Cells[]>
  /** What is listed unless all are asked for: a search, and what they are called then. */
  usually?: { search: string; called: string }
}

type Batch = { records: object[]; cells: Cells[] }
type Asking = { context: CommandContext; organizationId: string; links: Links; asked: AskedList }

/** A list of the API for the terminal. */
export type RecordList = {
  calledWhen(all: boolean): string
  hasMoreWhenAll: boolean
  /** What is searched for; throws a CommandError with the words of the parser. */
  searchFor(asked: AskedList): SearchExpression | undefined
  /** Page by page, and at last whether there are more than the limit. */
  read(asking: Asking, search: SearchExpression | undefined): AsyncGenerator<Batch, boolean>
}

export type AskedList = { organization?: string; query?: string; limit: number; json?: boolean; all?: boolean }

/** Takes the type of the rows out of a list, so that one function prints all. */
export const recordList = <Row extends { id: string }>(definition: Definition<Row>): RecordList => ({
  calledWhen: (all) => (all ? definition.called : (definition.usually?.called ?? definition.called)),
  hasMoreWhenAll: definition.usually !== undefined,
  searchFor: ({ query = '', all = false }) => {
    const { search: fields = {} } = definition.operation
    const usual = all || !definition.usually ? undefined : parseSearch(definition.usually.search, fields)
    const given = parseGiven(query, fields)
    if (!usual || !given) return usual ?? given
    return given.flatMap((group) => usual.map((one) => [...group, ...one]))
  },
  async *read({ context, organizationId, links, asked }, search) {
    const { db } = context.connection
    const { list, present, cellsOf, order = 'ascending' } = definition
    const base = { organizationId, params: {}, search, order, now: context.now }
    let after: string | undefined
    for (let left = asked.limit; left > 0; left -= pageLength) {
      const length = Math.min(left, pageLength)
      const found = await list(db, { ...base, after, limit: length + 1 })
      const rows = found.slice(0, length)
      yield asked.json
        ? { records: rows.map((row) => present(row, links)), cells: [] }
        : { records: [], cells: await cellsOf(rows, { reader: db, organizationId }) }
      if (found.length <= length) return false
      after = rows.at(-1)?.id
    }
    return true
  },
})

function parseGiven(query: string, fields: SearchFields): SearchExpression | undefined {
  try {
    return parseSearch(query, fields)
  } catch (error) {
    if (!(error instanceof SearchError)) throw error
    throw new CommandError(exitCodes.usage, `error: --query: ${plainText(error.message)}`, { cause: error })
  }
}

/** Prints lists one after the other: as one table, or a record of the API per line. Says what is missing on stderr. */
export async function listRecords(
  context: CommandContext,
  asked: AskedList,
  { lists, heads }: { lists: readonly RecordList[]; heads: readonly string[] },
  io: CommandIo,
): Promise<undefined> {
  const searches = lists.map((list) => list.searchFor(asked))
  const { id: organizationId, base_url: ownUrl } = await organizationOf(context.connection.db, asked.organization)
  const asking = { context, organizationId, links: linksFor(ownUrl ?? context.config.baseUrl), asked }
  const table = tableOf(heads, io)
  const cut: string[] = []
  let count = 0
  for (const [index, list] of lists.entries()) {
    const pages = list.read(asking, searches[index])
    for (let next = await pages.next(); ; next = await pages.next()) {
      if (next.done) {
        if (next.value) cut.push(list.calledWhen(asked.all === true))
        break
      }
      io.signal.throwIfAborted()
      count += next.value.records.length + next.value.cells.length
      for (const record of next.value.records) await io.line(lineOf(record))
      await table.add(next.value.cells)
    }
  }
  await table.end()
  if (count === 0) await io.error(describeNothing(lists, asked))
  for (const called of cut) await io.error(describeCut(called, asked.limit))
}

/** JSON leaves DEL and the C1 controls as they are, some of which steer terminals. */
const lineOf = (record: object): string =>
  JSON.stringify(record).replace(/[\u007f-\u009f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)

/** Rows of a table, which are aligned and printed by the page. */
function tableOf(heads: readonly string[], io: CommandIo) {
  let waiting: Cells[] = []
  let isBegun = false
  const flush = async () => {
    if (waiting.length === 0) return
    const lines = alignColumns(heads, waiting)
    for (const line of isBegun ? lines.slice(1) : lines) await io.line(line)
    isBegun = true
    waiting = []
  }
  return {
    async add(cells: readonly Cells[]) {
      waiting.push(...cells)
      if (waiting.length >= pageLength) await flush()
    },
    end: flush,
  }
}

function describeNothing(lists: readonly RecordList[], { query = '', all = false }: AskedList): string {
  const called = lists.map((list) => list.calledWhen(all)).join(' or ')
  const nothing = query.trim() === '' ? `No ${called}.` : `No ${called} match.`
  return !all && lists.some((list) => list.hasMoreWhenAll)
    ? `${nothing} Pass --all to look at the others as well.`
    : nothing
}

function describeCut(called: string, limit: number): string {
  const most = maxListed.toLocaleString('en-US')
  const more = limit < maxListed ? `Pass --limit for more (${most} at most), or narrow` : 'Narrow'
  const first = limit === 1 ? `one of the ${called}` : `the first ${limit.toLocaleString('en-US')} ${called}`
  return `Shown: ${first}. ${more} with --query.`
}

const maxShownLength = 60

/** Long text of people, for a column. */
export const shorten = (text: string): string =>
  text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text
