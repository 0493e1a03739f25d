import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { loadConfig } from '../../base/config/load-config.ts'
import { claimInstallation } from '../../base/secrets/installation.ts'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { callCommandSocket } from '../call-command-socket.ts'
import { openCommandSocket } from '../command-socket.ts'
import { exportCommand } from '../commands/export-command.ts'
import { importCommand } from '../commands/import-command.ts'
import type { CommandIo } from '../data-command.ts'

const database = testDatabase()
const now = '2026-11-20T10:00:00.000Z'
const secrets = openSecrets(Buffer.alloc(32))

async function openServer(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'muster-transfer-'))
  const config = loadConfig({ MUSTER_DATA_DIR: dataDir })
  const context = () => ({ connection: database.connection, secrets, config, now })
  const socket = await openCommandSocket({ dataDir, commands: [exportCommand, importCommand], context })
  t.after(async () => {
    await socket.close()
    await rm(dataDir, { recursive: true })
  })
  await database.reset()
  await claimInstallation(database.db, secrets.fingerprint, now)
  return { dataDir, path: socket.path }
}

function makeIo(input = '', onWrite = async (_text: string) => {}) {
  const seen = { out: '', err: '' }
  const controller = new AbortController()
  const write = async (text: string) => {
    seen.out += text
    await onWrite(text)
  }
  const io: CommandIo = {
    write,
    line: (text) => write(`${text}\n`),
    async error(text) {
      seen.err += `${text}\n`
    },
    input: (async function* () {
      yield Buffer.from(input)
    })(),
    signal: controller.signal,
  }
  return { io, seen, abort: () => controller.abort() }
}

const exporting = { name: 'export', args: {}, readsInput: false }
const importing = { name: 'import', args: {}, readsInput: true }

test('a running server exports, and imports what it exported once it is empty again', async (t) => {
  const { path, dataDir } = await openServer(t)
  await database.db.insertInto('organizations').values({ name: 'Example', created_at: now }).execute()
  const first = makeIo()
  assert.equal(await callCommandSocket(path, exporting, first.io), 0)
  assert.match(first.seen.err, /^Exported 2 rows of \d+ tables\n$/)
  assert.match(first.seen.out, /\n\{"end":.*\}\n$/)
  assert.deepEqual(await readdir(dataDir), ['muster.sock'])

  const refused = makeIo(first.seen.out)
  assert.equal(await callCommandSocket(path, importing, refused.io), 1)
  assert.match(refused.seen.err, /not empty \(organizations\)/)

  await database.reset()
  const accepted = makeIo(first.seen.out)
  assert.equal(await callCommandSocket(path, importing, accepted.io), 0)
  assert.match(accepted.seen.out, /^Imported 2 rows/)
  const names = await database.db.selectFrom('organizations').select('name').execute()
  assert.deepEqual(names, [{ name: 'Example' }])
})

test('the database serves others while a reader of an export dawdles, and nothing is left when it leaves', async (t) => {
  const { path, dataDir } = await openServer(t)
  const names = Array.from({ length: 4000 }, (_, index) => ({ name: `${index} ${'x'.repeat(900)}`, created_at: now }))
  for (let at = 0; at < names.length; at += 1000) {
    await database.db
      .insertInto('organizations')
      .values(names.slice(at, at + 1000))
      .execute()
  }
  const arrived = Promise.withResolvers<void>()
  const never = new Promise<void>(() => {})
  const reader = makeIo('', () => {
    arrived.resolve()
    return never
  })
  const call = callCommandSocket(path, exporting, reader.io)
  call.catch(() => {})
  await arrived.promise
  await database.db.insertInto('organizations').values({ name: 'Meanwhile', created_at: now }).execute()
  reader.abort()
  while ((await readdir(dataDir)).length > 1) await new Promise((resolve) => setTimeout(resolve, 10))
})
