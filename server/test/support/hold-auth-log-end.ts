import type { KyselyPlugin } from 'kysely'
import { connectEmbedded, connectPostgres } from '../../src/base/db/connect.ts'
import { type Db, transact } from '../../src/base/db/transact.ts'
import { endAuthLog } from '../../src/sign-in/auth-logs/end-auth-log.ts'
import { expireAuthLogs } from '../../src/sign-in/auth-logs/expire-auth-logs.ts'

// A process of its own: ends an auth log in one of the three ways, says `held` at one point of its transaction, and stays
// there until it is killed.
export type Held = {
  by: 'success' | 'denied' | 'sweep'
  /** After so many statements, right before the commit, or right after it. */
  at: number | 'uncommitted' | 'committed'
  place: { url: string } | { dataDir: string }
  organizationId: string
  authLogId: string
  now: string
}

async function hold(): Promise<never> {
  process.stdout.write('held\n')
  return new Promise(() => {})
}

function holdingAfter(statements: Held['at']): KyselyPlugin {
  let done = 0
  return {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      done += 1
      return done === statements ? hold() : result
    },
  }
}

/** The database as `transact` sees it, whose transactions are held. */
function held(db: Db, at: Held['at']): Db {
  const execute = async (work: (tx: unknown) => Promise<unknown>) => {
    await db
      .withoutPlugins()
      .transaction()
      .execute(async (tx) => {
        await work(tx.withPlugin(holdingAfter(at)))
        if (at !== 'committed') await hold()
      })
    return hold()
  }
  return { withoutPlugins: () => ({ transaction: () => ({ execute }) }) } as unknown as Db
}

const { by, at, place, organizationId, authLogId, now } = JSON.parse(process.argv[2] ?? '') as Held
const connection = await ('url' in place ? connectPostgres({ ...place, maxConnections: 2 }) : connectEmbedded(place))
const db = held(connection.db, at)
const change = { cause: `held ${by}`, requestId: null, initiator: 'system', now } as const
const ending = { organizationId, authLogId }
if (by === 'sweep') await expireAuthLogs(db, () => change, 1)
else {
  await transact(db, (tx) =>
    by === 'success'
      ? endAuthLog(tx, { ...ending, outcome: by }, change)
      : endAuthLog(tx, { ...ending, outcome: by, reason: 'cancelled' }, change),
  )
}
