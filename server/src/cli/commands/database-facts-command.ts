import Type from 'typebox'
import { defineCommand } from '../data-command.ts'
import { readDatabaseFacts } from '../doctor/database-facts.ts'

/** For `muster doctor`, which may not open the database of a running server. */
export const databaseFactsCommand = defineCommand({
  name: 'database-facts',
  args: Type.Object({}),
  async run({ connection }, _args, io) {
    await io.write(JSON.stringify(await readDatabaseFacts(connection)))
  },
})
