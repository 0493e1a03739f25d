import { protocol } from '@electric-sql/pglite'
import type pg from 'pg'
import type { NamedStatements } from './named-statements.ts'
import type { Row } from './sessions.ts'
import { isStalePlan } from './stale-plan.ts'
import { encodeValue, type ParseValue, parserOf } from './values.ts'

/**
 * Single statements by the extended protocol ("Message Flow" in the PostgreSQL manual), outside transactions, with less
 * ado than the driver's own queries: one write to the socket, and the columns of a prepared statement are described once
 * in a session. Measured on a page of devices: a third of the process's time for it.
 */
const { serialize } = protocol

type Column = { name: string; parse: ParseValue }
type Columns = { all: readonly Column[]; blank: Row }
/** What a session has prepared, by the text. */
type Prepared = Map<string, Columns>
type Field = { name: string; dataTypeID: number }
type Statement = { text: string; name: string | undefined; values: readonly (string | Buffer | null)[] }
type Asked = Statement & {
  /** Answered as soon as its rows are there, instead of after the commit. */
  isRead: boolean
  resolve: (rows: Row[]) => void
  reject: (error: unknown) => void
}

export type DirectStatements = {
  run(text: string, parameters: readonly unknown[]): Promise<Row[]>
  /** A read. Where there are more of them than connections, a few of one party share one, and wait for each other. */
  read(party: string, text: string, parameters: readonly unknown[]): Promise<Row[]>
}

/** Each waits for those before it in its group, so groups are small; measured, larger ones gain little. */
const maxInGroup = 4
/** In the queue, from its head. */
const farthestSought = 64

export function directStatements(pool: pg.Pool, names: NamedStatements): DirectStatements {
  const preparedBy = new WeakMap<pg.PoolClient, Prepared>()
  const queued: { party: string; asked: Asked }[] = []

  function statementOf(text: string, parameters: readonly unknown[]): Statement {
    const name = names.nameOf(text)
    // Apart from what the driver prepares in the same sessions.
    return { text, name: name && `d${name}`, values: parameters.map(encodeValue) }
  }

  const send = (group: readonly Asked[]): void => whenFree(() => group)

  /** Takes a connection, and then who is to use it; there may be nobody left. */
  function whenFree(take: (most: number) => readonly Asked[]): void {
    pool.connect((error, client, release) => {
      if (error || !client) {
        for (const { reject } of take(1)) reject(error)
        return
      }
      const group = take(maxInGroup)
      if (group.length === 0) return release()
      const prepared = preparedBy.get(client) ?? new Map<string, Columns>()
      preparedBy.set(client, prepared)
      client.query(
        statementGroup(group, prepared, (unanswered, isSessionOver) => {
          release(isSessionOver)
          // One by one, so that none fails for another one's sake.
          for (const asked of unanswered) send([asked])
        }),
      )
    })
  }

  /** The one that has waited longest, and some of its party; each of those in the queue has asked for a connection. */
  function takeOfParty(most: number): Asked[] {
    const party = queued[0]?.party
    const taken: Asked[] = []
    for (let index = 0; taken.length < most && index < farthestSought; ) {
      const next = queued[index]
      if (!next) break
      if (next.party !== party) index += 1
      else taken.push(...queued.splice(index, 1).map(({ asked }) => asked))
    }
    return taken
  }

  return {
    run: (text, parameters) =>
      new Promise((resolve, reject) => {
        send([{ ...statementOf(text, parameters), isRead: false, resolve, reject }])
      }),
    read: (party, text, parameters) =>
      new Promise((resolve, reject) => {
        queued.push({ party, asked: { ...statementOf(text, parameters), isRead: true, resolve, reject } })
        whenFree(takeOfParty)
      }),
  }
}

/**
 * Several reads, or one statement of any kind, as one query of the driver, answered in turn. After one that fails the database leaves out the others:
 * `onEnd` is called with those. Nothing has run of one whose plan had gone stale, so it is among them.
 */
function statementGroup(
  group: readonly Asked[],
  prepared: Prepared,
  onEnd: (unanswered: Asked[], isSessionOver: boolean) => void,
) {
  let at = 0
  let columns: Columns | undefined
  let rows: Row[] = []
  let fault: unknown
  let written: { asked: Asked; rows: Row[] } | undefined

  function begin(): void {
    const asked = group[at]
    columns = asked?.name === undefined ? undefined : prepared.get(asked.text)
    rows = []
    fault = undefined
  }

  begin()
  return {
    submit({ stream }: pg.Connection): void {
      const parts = group.flatMap((asked) => messagesOf(asked, prepared))
      stream.write(Buffer.concat([...parts, serialize.sync()]))
    },
    handleRowDescription({ fields }: { fields: readonly Field[] }): void {
      columns = columnsOf(fields)
      const asked = group[at]
      if (asked?.name !== undefined) prepared.set(asked.text, columns)
    },
    handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
      try {
        if (columns && fault === undefined) rows.push(rowOf(columns, fields))
      } catch (error) {
        fault = error
      }
    },
    handleCommandComplete(): void {
      const asked = group[at]
      if (fault !== undefined) asked?.reject(fault)
      else if (asked?.isRead) asked.resolve(rows)
      else if (asked) written = { asked, rows }
      at += 1
      begin()
    },
    handleEmptyQuery(): void {},
    handlePortalSuspended(): void {},
    handleError(error: Error): void {
      const asked = group[at]
      const isStale = asked !== undefined && prepared.delete(asked.text) && isStalePlan(error)
      // A connection that has broken, or a value that could not be read, ends here as well.
      const isOfStatement = 'severity' in error
      // Its commit has failed, or nobody knows.
      written?.asked.reject(error)
      if (isOfStatement && !isStale) asked?.reject(error)
      else if (!isOfStatement) for (const { reject } of group.slice(at)) reject(error)
      const isSessionOver = !isOfStatement || error.severity === 'FATAL'
      onEnd(isOfStatement ? group.slice(isStale ? at : at + 1) : [], isSessionOver)
    },
    handleReadyForQuery(): void {
      written?.asked.resolve(written.rows)
      for (const { reject } of group.slice(at)) reject(new Error('The database has not answered this statement'))
      onEnd([], false)
    },
  }
}

function messagesOf({ text, name = '', values }: Statement, prepared: Prepared): Uint8Array[] {
  const bind = serialize.bind({ statement: name, values: [...values] })
  if (name !== '' && prepared.has(text)) return [bind, serialize.execute({})]
  // An earlier attempt may have ended between preparing and describing; to close what is not there is no error.
  const preparation = [serialize.close({ type: 'S', name }), serialize.parse({ name, text })]
  return [...preparation, bind, serialize.describe({ type: 'P' }), serialize.execute({})]
}

function columnsOf(fields: readonly Field[]): Columns {
  const all = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }))
  return { all, blank: Object.fromEntries(all.map(({ name }) => [name, null])) }
}

function rowOf({ all, blank }: Columns, fields: readonly (string | null)[]): Row {
  // A copy has its shape from the start.
  const row: Row = { ...blank }
  let index = 0
  for (const { name, parse } of all) {
    const text = fields[index]
    if (text !== null && text !== undefined) row[name] = parse(text)
    index += 1
  }
  return row
}
