import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { type RuntimeSystem, runtimeSystems } from '@muster/contract/packages.ts'
import { Command } from 'commander'
import { testApp } from '../../../test/support/app.ts'
import { madeNode, sha256Of } from '../../../test/support/made-node.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { ensureAllPackages } from '../../agents/packages/ensure-packages.ts'
import { ownRuntime } from '../../agents/packages/runtimes/own-runtime.ts'
import { pinnedRuntimes } from '../../agents/packages/runtimes/pinned-runtimes.ts'
import { openPackageSite } from '../../agents/packages/site.ts'
import { describeFailure } from '../describe-failure.ts'
import { type Ready, takeDescribed } from '../program/take-described.ts'
import { runtimeCommands } from './runtime-commands.ts'
import { runtimeGroup } from './runtime-group.ts'

const folder = await mkdtemp(join(tmpdir(), 'muster-runtime-commands-'))
after(() => rm(folder, { recursive: true, force: true }))
const trial = testApp({ env: { MUSTER_DATA_DIR: folder } })
const now = '2026-11-20T10:00:00.000Z'
const run = commandsOn(trial, now)
const own = ownRuntime()
const isOwn = (system: RuntimeSystem) => own !== undefined && system === `linux-${own.architecture}`

beforeEach(async () => {
  await trial.reset()
  // As a start does, so that only what a command changes is left to make.
  await makeAll()
})

const makeAll = async () => ensureAllPackages(trial.db, trial.secrets, await openPackageSite(trial.config), now)

const bytesOf = async function* (bytes: Buffer) {
  yield bytes
}

function add(system: RuntimeSystem, version = '26.1.0', at = now) {
  const bytes = madeNode(system, { version })
  const file = { name: 'node.bin', sha256: sha256Of(bytes) }
  return commandsOn(trial, at)(runtimeCommands.addRuntime, { system, file }, { input: bytesOf(bytes) })
}

const remove = (system: RuntimeSystem) => run(runtimeCommands.removeRuntime, { system })

/** The rows of the list by their system, a cell that is empty left out. */
async function listed() {
  const [heads = '', ...rows] = (await run(runtimeCommands.runtimes, {})).out.trimEnd().split('\n')
  assert.deepEqual(heads.split(/ +/), ['SYSTEM', 'NODE', 'FROM', 'SIZE', 'STATE'])
  return Object.fromEntries(rows.map((row) => row.split(/ {2,}/)).map(([system = '', ...cells]) => [system, cells]))
}

const untouched = (system: RuntimeSystem) =>
  isOwn(system)
    ? [own?.version, 'this server', 'the server’s own']
    : [pinnedRuntimes[system].version, pinnedRuntimes[system].package, 'not added']

const packagesFor = (architecture: 'x64' | 'arm64') =>
  trial.db
    .selectFrom('packages')
    .select(['organization_id', 'agent', 'format', 'node_version', 'node_sha256', 'build'])
    .where('architecture', '=', architecture)
    .orderBy('id')
    .execute()

test('all six systems are listed before and after one is added, with where each Node comes from', async () => {
  const before = Object.fromEntries(runtimeSystems.map((system) => [system, untouched(system)]))
  assert.equal(runtimeSystems.length, 6)
  assert.deepEqual(await listed(), before)
  await add('win-arm64', '26.2.0')
  assert.deepEqual(await listed(), { ...before, 'win-arm64': ['26.2.0', 'a file', '4 MB', 'added'] })
  // As an earlier version of Muster fetched it; one of a file is never called old, for whoever gave it knows.
  await trial.db.updateTable('package_runtimes').set({ source: 'npm' }).execute()
  const { package: name, version } = pinnedRuntimes['win-arm64']
  const state = `added; Node ${version} is newer: add it again`
  assert.deepEqual((await listed())['win-arm64'], ['26.2.0', name, '4 MB', state])
})

test('a Node that no package brings yet is added, and said to be so', async () => {
  const before = await packagesFor('x64')
  assert.deepEqual(await add('win-x64'), {
    exit: 0,
    out: 'Node 26.1.0 is here for win-x64\nNo package of this version of Muster brings it yet\n',
    err: 'Compressing it, which takes some seconds\n',
  })
  assert.deepEqual(await packagesFor('x64'), before)
})

const foreign = isOwn('linux-arm64') ? 'x64' : 'arm64'

test('packages for another processor are made for each organization, once', async () => {
  const alone = await add(`linux-${foreign}`)
  assert.match(alone.out, /\nMade packages for 1 organization: muster packages list\n$/)
  await trial.addTenant()
  await makeAll()
  const first = await packagesFor(foreign)
  const { out } = await add(`linux-${foreign}`, '26.2.0')
  assert.equal(
    out,
    `Node 26.2.0 is here for linux-${foreign}\nMade packages for 2 organizations: muster packages list\n`,
  )
  const rows = await packagesFor(foreign)
  assert.deepEqual(
    Object.entries(Object.groupBy(rows, (row) => row.organization_id)).map(([id, found]) => [id, found?.length]),
    [
      ['1', 4],
      ['2', 4],
    ],
  )
  const sha256 = sha256Of(madeNode(`linux-${foreign}`, { version: '26.2.0' }))
  const again = { node_version: '26.2.0', node_sha256: sha256, build: 2 }
  assert.deepEqual(
    rows,
    first.map((row) => ({ ...row, ...again })),
  )
})

test('the same file again changes nothing', async () => {
  await add(`linux-${foreign}`)
  const state = async () => [
    await trial.db.selectFrom('package_runtimes').selectAll().execute(),
    await packagesFor(foreign),
  ]
  const before = await state()
  assert.deepEqual(
    before.map((rows) => rows.length),
    [1, 4],
  )
  const { out } = await add(`linux-${foreign}`, '26.1.0', '2026-11-21T10:00:00.000Z')
  assert.equal(out, `Node 26.1.0 is here for linux-${foreign}\nNo package had to be made\n`)
  assert.deepEqual(await state(), before)
})

test('a Node that is removed is not listed, and one that is not there cannot be removed', async () => {
  await add(`linux-${foreign}`)
  const before = await packagesFor(foreign)
  const lacking = 'packages that bring it cannot be downloaded until it is added again'
  const removed = { exit: 0, out: `Removed the Node for linux-${foreign}: ${lacking}\n`, err: '' }
  assert.deepEqual(await remove(`linux-${foreign}`), removed)
  assert.deepEqual((await listed())[`linux-${foreign}`], untouched(`linux-${foreign}`))
  assert.deepEqual(await packagesFor(foreign), before, 'they wait for it')
  const failure = await remove(`linux-${foreign}`).catch(describeFailure)
  assert.deepEqual(failure, { exitCode: 5, text: `No Node was added for linux-${foreign}` })
})

test('the Node of this server takes the place of one that is removed', {
  skip: !own && 'needs a Node that runs on other machines',
}, async () => {
  if (!own) return
  const system = `linux-${own.architecture}` as const
  const before = await packagesFor(own.architecture)
  assert.ok(before.length === 4 && before.every((row) => row.node_version === own.version && row.node_sha256 === null))
  await add(system)
  assert.deepEqual((await listed())[system], ['26.1.0', 'a file', '4 MB', 'added'])
  assert.equal((await remove(system)).out, `Removed the Node for ${system}: packages bring this server’s own again\n`)
  assert.deepEqual((await listed())[system], untouched(system))
  assert.deepEqual(
    await packagesFor(own.architecture),
    before.map((row) => ({ ...row, build: 3 })),
  )
})

/** What is run with when these words are typed, and the file that is read; rejects with what is said. */
async function typed(...words: string[]): Promise<Pick<Ready, 'args' | 'from'>> {
  let ready: Ready | undefined
  const packages = new Command('packages').exitOverride().configureOutput({ writeErr: () => {} })
  const { addRuntime } = runtimeGroup.commands
  takeDescribed(packages.command(addRuntime.words), addRuntime, async (made) => {
    ready = made
  })
  await packages.parseAsync(['add-runtime', ...words], { from: 'user' })
  const { args, from } = ready ?? assert.fail('nothing ran')
  return { args, from }
}

test('a file is typed with its hash, and only its last name travels', async () => {
  const [sha256, system] = ['AB'.repeat(32), 'linux-arm64']
  assert.deepEqual(await typed(system), { args: { system }, from: undefined })
  const registry = 'http://mirror.example/npm/'
  assert.deepEqual(await typed(system, '--registry', registry), { args: { system, registry }, from: undefined })
  const args = { system, file: { name: 'node.tar.gz', sha256 } }
  assert.deepEqual(await typed(system, '../got/node.tar.gz', '--sha256', sha256), { args, from: '../got/node.tar.gz' })
  const refusals: [words: string[], said: RegExp][] = [
    [['node'], /^error: Give the SHA-256 of the file: --sha256 <hash>\.$/],
    [['--sha256', sha256], /^error: Give the file that --sha256 is of\.$/],
    [['node', '--sha256', sha256, '--registry', registry], /^error: Give a file or a registry, not both\.$/],
    [['node', '--sha256', 'AB'], /sha256/],
    [['--registry', 'ftp://mirror.example'], /registry/],
    [
      ['--registry', 'https://me:secret@mirror.example'],
      /^error: Give a registry that wants no name and password, or a file\.$/,
    ],
  ]
  for (const [words, message] of refusals) await assert.rejects(typed(system, ...words), { message })
  await assert.rejects(typed('linux-riscv64'), { message: /Allowed choices are .*linux-arm64/ })
})
