import Type from 'typebox'
import { analyzeTables } from '../../base/db/analyze-tables.ts'
import { transact } from '../../base/db/transact.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { defineCommand } from '../data-command.ts'
import { importDeployment } from '../transfer/import-deployment.ts'

export const importCommand = defineCommand({
  name: 'import',
  args: Type.Object({}),
  readsInput: true,
  bringsMasterKey: true,
  async run({ connection, secrets }, _args, io) {
    let isBegun = false
    const counts = await transact(connection.db, async (tx) => {
      if (isBegun) throw new CommandError(exitCodes.failure, 'The import was interrupted by the database: run it again')
      isBegun = true
      return importDeployment(tx, secrets.fingerprint, io.input)
    })
    await analyzeTables(connection)
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
    await io.line(`Imported ${rows} rows of ${Object.keys(counts).length} tables`)
  },
})
