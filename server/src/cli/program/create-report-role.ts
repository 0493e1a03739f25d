import type { Config } from '../../base/config/load-config.ts'
import { describePostgresUrlFault } from '../../base/config/value-rules.ts'
import { connectPostgres } from '../../base/db/connect.ts'
import { pendingMigrations } from '../../base/db/migrate.ts'
import { createReportRole } from '../../reporting/sandbox/create-report-role.ts'
import { readSandboxPrivileges } from '../../reporting/sandbox/sandbox-privileges.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import type { CommandIo } from '../data-command.ts'
import { openDatabase } from '../open-database.ts'

const insufficientPrivilege = '42501'

/** Makes the database role of reporting queries, as the user of the URL `as` or as the configured one. */
export async function createReportRoleIn(config: Config, as: string | undefined, io: CommandIo): Promise<number> {
  const own = await openDatabase(config)
  try {
    if (own.engine === 'pglite') {
      await io.line('The embedded database has the role muster_reports')
      return exitCodes.ok
    }
    if ((await pendingMigrations(own)).length > 0) {
      throw new CommandError(exitCodes.database, 'Run `muster migrate` first')
    }
    const admin = as === undefined ? own : await openAdmin(as)
    try {
      await createReportRole(own, admin).catch(explain)
    } finally {
      if (admin !== own) await admin.close()
    }
    const { hasReportRole } = await readSandboxPrivileges(own.db)
    if (!hasReportRole) {
      throw new CommandError(
        exitCodes.failure,
        'The role muster_reports may do more than read the reporting tables: revoke what else it was granted, and what its roles were',
      )
    }
    await io.line('Reporting queries run as the role muster_reports')
    return exitCodes.ok
  } finally {
    await own.close()
  }
}

async function openAdmin(url: string) {
  const fault = describePostgresUrlFault(url)
  if (fault !== undefined) throw new CommandError(exitCodes.usage, `--as ${fault}`)
  try {
    return await connectPostgres({ url, maxConnections: 1, applicationName: 'muster-cli' })
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error)
    throw new CommandError(exitCodes.database, `Cannot connect as an administrator: ${reason}`, { cause: error })
  }
}

function explain(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && error.code === insufficientPrivilege)) throw error
  throw new CommandError(
    exitCodes.failure,
    `${error.message}. Give the URL of a user who may create roles in the same database: muster reports create-role --as postgres://postgres@HOST/DATABASE`,
    { cause: error },
  )
}
