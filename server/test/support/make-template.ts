import { databaseForProcess } from './database.ts'

// Makes the migrated database that those of test files are copies of, on the server of MUSTER_TEST_DATABASE_URL.
const database = await databaseForProcess()
await database?.drop()
