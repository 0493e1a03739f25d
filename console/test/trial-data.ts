import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDatabase, databaseForProcess, type OwnDatabase } from '../../server/test/support/database.ts'

/** What a server works on, and another may after it: a folder, which on the embedded engine has the database in it. */
export type TrialData = {
  readonly dataDir: string
  /** On the PostgreSQL that the tests run on. */
  readonly postgres?: { readonly database: OwnDatabase; readonly masterKey: string } | undefined
}

const newFolder = () => mkdtemp(join(tmpdir(), 'muster-console-'))

/** What a first start finds. */
export async function newTrialData(): Promise<TrialData> {
  const database = await databaseForProcess()
  const masterKey = randomBytes(32).toString('base64')
  return { dataDir: await newFolder(), postgres: database && { database, masterKey } }
}

/** The same again, of data that no server works on. */
export async function copyTrialData({ dataDir, postgres }: TrialData): Promise<TrialData> {
  const copy = await newFolder()
  await cp(dataDir, copy, { recursive: true })
  return { dataDir: copy, postgres: postgres && { ...postgres, database: await copyDatabase(postgres.database) } }
}

export async function removeTrialData({ dataDir, postgres }: TrialData): Promise<void> {
  await postgres?.database.drop()
  await rm(dataDir, { recursive: true, force: true })
}
