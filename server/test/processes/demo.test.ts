import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makePreparedFolder } from '../../src/prepared-folder.ts'
import { openPlace, printedKey, until } from '../support/muster-process.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const place = openPlace({ after })

let folder: string
let home: string
let temporary: string

const startDemo = () => place.startCommand(['demo'], /\nOpen http\S+\n/, { HOME: home, TMPDIR: temporary })
const dataFolders = async () => (await readdir(temporary)).filter((name) => name.startsWith('muster-demo-'))

before(async () => {
  await promisify(execFile)(process.execPath, ['console/build.ts', '--when-stale'], { cwd: root })
  await makePreparedFolder()
  folder = await mkdtemp(join(tmpdir(), 'muster-demo-test-'))
  ;[home, temporary] = [join(folder, 'home'), join(folder, 'tmp')]
  await Promise.all([mkdir(home), mkdir(temporary)])
})
after(() => rm(folder, { recursive: true, force: true }))

test('who is there over SSH is told how to forward its port', async () => {
  const there = await place.startCommand(['demo'], /\nIt runs/, {
    ...{ HOME: home, TMPDIR: temporary, SSH_CONNECTION: '198.51.100.7 50022 192.0.2.4 2222' },
  })
  const { port } = new URL(/\nOpen (\S+)\n/.exec(there.output())?.[1] ?? '')
  assert.match(there.output(), new RegExp(`: ssh -L ${port}:127\\.0\\.0\\.1:${port} -p 2222 \\S+@192\\.0\\.2\\.4\\n`))
  assert.equal(await there.stop('SIGINT'), 0)
})

test('its folder is gone after SIGTERM, and after Ctrl-C while it starts', async () => {
  const started = await startDemo()
  assert.equal((await dataFolders()).length, 1)
  assert.equal(await started.stop('SIGTERM'), 0)
  assert.deepEqual(await dataFolders(), [])
  const unready = await place.startCommand(['demo'], /Starting/, { HOME: home, TMPDIR: temporary })
  await until(10_000, async () => (await dataFolders()).length === 1)
  assert.equal(await unready.stop('SIGINT'), 0)
  assert.doesNotMatch(unready.output(), /http:/)
  assert.deepEqual(await dataFolders(), [])
})

test('a trial beside it is untouched', async () => {
  const trial = await place.start(['start', '--no-agent'])
  const key = await printedKey(trial)
  await trial.says(/More keys, with permissions/)
  const before = await readdir(place.dataDir)
  const beside = await startDemo()
  const ask = async (path: string) => (await trial.ask('GET', path, { key })).body.data
  assert.deepEqual(await ask('/devices'), [])
  assert.equal((await ask('/people')).length, 1)
  assert.equal(await beside.stop('SIGINT'), 0)
  assert.deepEqual(await readdir(place.dataDir), before)
  assert.equal((await trial.ask('GET', '/healthz')).status, 200)
  assert.equal(await trial.stop(), 0)
})
