import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import Type from 'typebox'
import { transact } from '../../base/db/transact.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { type CommandContext, defineCommand } from '../data-command.ts'
import { exportDeployment } from '../transfer/export-deployment.ts'

type Write = (text: string) => Promise<void>

export const exportCommand = defineCommand({
  name: 'export',
  args: Type.Object({}),
  async run(context, _args, io) {
    const isEmbedded = context.connection.engine === 'pglite'
    const counts = isEmbedded ? await exportThroughFile(context, io.write) : await exportFrom(context, io.write)
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
    await io.error(`Exported ${rows} rows of ${Object.keys(counts).length} tables`)
  },
})

async function exportFrom({ connection, secrets, now }: CommandContext, write: Write): Promise<Record<string, number>> {
  let isBegun = false
  return transact(connection.db, async (tx) => {
    if (isBegun) throw new CommandError(exitCodes.failure, 'The export was interrupted by the database: run it again')
    isBegun = true
    await sql`set transaction isolation level repeatable read, read only`.execute(tx)
    return exportDeployment(tx, { fingerprint: secrets.fingerprint, now, write })
  })
}

/** The embedded engine serves nobody else during a transaction, so a slow reader is given a file, not the engine. */
async function exportThroughFile(context: CommandContext, write: Write): Promise<Record<string, number>> {
  const { dataDir } = context.config
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, `export-${randomBytes(6).toString('hex')}.tmp`)
  const file = await open(path, 'wx', 0o600)
  try {
    const counts = await exportFrom(context, async (text) => void (await file.write(text))).catch(explainTimeLimit)
    for await (const text of createReadStream(path, 'utf8')) await write(String(text))
    return counts
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
}

function explainTimeLimit(error: unknown): never {
  const isTimeLimit = error instanceof Error && 'code' in error && error.code === '25P04'
  if (!isTimeLimit) throw error
  throw new CommandError(
    exitCodes.failure,
    'The export takes longer than a running server can wait: stop the server and run it again',
  )
}
