/** Thrown by a table that cannot or may not read what the query needs: silence would read as "nothing there". */
export class NotCollected extends Error {
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Thrown when a query has used up its time. */
export class QueryTooSlow extends Error {}

/** The message of status 1 that the service turns into UNKNOWN, and only this. */
export function notCollectedMessage(table: string, reason: string): string {
  return `not collected: ${table} (${reason})`
}
