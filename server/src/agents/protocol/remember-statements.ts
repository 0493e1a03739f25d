import type { Db } from '../../base/db/transact.ts'
import { findStatement } from '../../live-queries/queries.ts'

export type Statements = {
  /** As JSON text; undefined when the campaign is gone or has another statement by now. */
  find: (organizationId: string, campaignId: string, revision: number) => Promise<string | undefined>
}

const maxStatements = 200

/**
 * The statements of live queries that were handed out last: one of a campaign at a revision never changes, and all of
 * a fleet ask for it at the same time.
 */
export function rememberStatements(db: Db): Statements {
  const known = new Map<string, Promise<string | undefined>>()

  function load(key: string, organizationId: string, campaignId: string, revision: number) {
    const loading = findStatement(db, organizationId, campaignId, revision).then((sql) => {
      if (sql === undefined) known.delete(key)
      return sql === undefined ? undefined : JSON.stringify(sql)
    })
    loading.catch(() => known.delete(key))
    return loading
  }

  return {
    find(organizationId, campaignId, revision) {
      const key = `${organizationId}/${campaignId}/${revision}`
      const found = known.get(key) ?? load(key, organizationId, campaignId, revision)
      // The one that was asked for last is the last to go.
      known.delete(key)
      known.set(key, found)
      for (const oldest of known.keys()) {
        if (known.size <= maxStatements) break
        known.delete(oldest)
      }
      return found
    },
  }
}
