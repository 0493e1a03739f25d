import { analyzeTables } from './base/db/analyze-tables.ts'
import type { Connection } from './base/db/connect.ts'
import { explainMissingRight } from './base/db/explain-missing-right.ts'
import { migrate } from './base/db/migrate.ts'
import { installJobs } from './base/jobs/start-jobs.ts'

/** Any constant will do, as long as every starter takes the same one. */
const upgradeLock = 5_146_739

/**
 * Brings the tables of the product and of the job queue up to this version. Processes that start at the same time wait
 * for each other. Returns the names of the migrations it applied; rejects as `migrate` does.
 */
export function upgradeDatabase(connection: Connection): Promise<{ applied: string[] }> {
  return connection.exclusively(upgradeLock, async () => {
    await requireUtf8(connection)
    const outcome = await upgradeTables(connection)
    if (isUpgrade(outcome)) await analyzeIfPossible(connection)
    return outcome
  })
}

async function upgradeTables(connection: Connection): Promise<{ applied: string[] }> {
  try {
    const outcome = await migrate(connection)
    await installJobs(connection)
    return outcome
  } catch (error) {
    throw await explainMissingRight(connection.db, error)
  }
}

/** Unlike a new database it may hold rows, which migrations have rewritten in numbers. */
const isUpgrade = ({ applied: [first] }: { applied: string[] }): boolean =>
  first !== undefined && !first.startsWith('0001_')

/** Without it statements are slower until autovacuum comes by, so it is no reason not to start. */
async function analyzeIfPossible(connection: Connection): Promise<void> {
  try {
    await analyzeTables(connection)
  } catch (error) {
    process.emitWarning(`Run ANALYZE: the upgraded database could not be analyzed. ${String(error)}`)
  }
}

async function requireUtf8({ executeScript }: Connection): Promise<void> {
  const [row] = await executeScript('show server_encoding')
  const encoding = row?.['server_encoding']
  if (encoding === 'UTF8') return
  throw new Error(`The encoding of the database is ${String(encoding)}. Create the database with ENCODING 'UTF8'`)
}
