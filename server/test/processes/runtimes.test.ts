import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { runtimeSystems } from '@muster/contract/packages.ts'
import { pinnedRuntimes } from '../../src/agents/packages/runtimes/pinned-runtimes.ts'
import { ageDrafts, draftsBelow, giveRuntime, otherSystem, packagesOn } from '../support/given-runtime.ts'
import { hangingRegistry } from '../support/hanging-registry.ts'
import { madeNode, sha256Of } from '../support/made-node.ts'
import { freePort, type MusterProcess, printedKey, until } from '../support/muster-process.ts'
import { openRunPlace } from '../support/run-place.ts'

const given = await giveRuntime({ after })
// Packages name the address of the server, so that a command has to know its port.
const place = await openRunPlace({ after }, { PORT: String(await freePort()) })
/** A server has the database then, and runs the commands. */
const isEmbedded = place.env['DATABASE_URL'] === undefined
const drafts = () => draftsBelow(place.dataDir)
let trial: MusterProcess
let key: string

before(async () => {
  trial = await place.start(['start', '--no-agent'])
  key = await printedKey(trial)
})

const rowOf = (listed: string) => listed.split('\n').find((row) => row.startsWith(`${otherSystem} `)) ?? ''
const listed = async () => (await place.run(['packages', 'runtimes'])).out
const isThere = async () => / {2}a file {2}.* {2}added$/.test(rowOf(await listed()))

/** The same command as before the kill brings the Node, and clears away what was left long ago. */
async function addAfterKill(): Promise<void> {
  assert.equal(await isThere(), false)
  await ageDrafts(place.dataDir)
  const { exit, err } = await place.run(given.adding)
  assert.equal(exit, 0, err)
  assert.deepEqual([await isThere(), await drafts()], [true, []])
}

test('a file goes to the process that has the database, and its packages appear', async (t) => {
  assert.deepEqual([await packagesOn(trial, key), await isThere()], [[], false])
  assert.deepEqual(await place.run(given.adding), {
    exit: 0,
    out: `Node 26.1.0 is here for ${otherSystem}\nMade packages for 1 organization: muster packages list\n`,
    err: 'Compressing it, which takes some seconds\n',
  })
  assert.equal(await isThere(), true)
  const packages = await packagesOn(trial, key)
  assert.deepEqual(
    packages.map((one) => `${one.agent} ${one.format} ${one.node_version}`).toSorted(),
    ['muster_agent', 'muster_companion'].flatMap((agent) => [`${agent} deb 26.1.0`, `${agent} tar.gz 26.1.0`]),
  )
  for (const { problem } of packages) assert.match(problem ?? '', /^Only the server’s own machine reaches /)
  const archive = join(given.folder, 'companion.tar.gz')
  const id = packages.find((one) => one.agent === 'muster_companion' && one.format === 'tar.gz')?.id ?? ''
  const { exit, err } = await place.run(['packages', 'download', id, '--to', archive])
  assert.equal(exit, 0, err)
  t.after(() => rm(archive))
  assert.ok(gunzipSync(await readFile(archive)).includes(given.executable), 'the Node of the file is in the package')
})

const failed = (...lines: string[]) => ({ exit: 1, out: '', err: `${lines.join('\n')}\n` })
const usage = (text: string) => ({ exit: 2, out: '', err: `error: ${text}\n(add --help for how to use it)\n` })
const hash = 'ab'.repeat(32)

type Refusal = [words: string[], outcome: ReturnType<typeof failed>]

const badUses = (): Refusal[] => [
  [[...given.typed, given.file], usage('Give the SHA-256 of the file: --sha256 <hash>.')],
  [[...given.typed, '--sha256', hash], usage('Give the file that --sha256 is of.')],
  [[...given.adding, '--registry', 'http://127.0.0.1'], usage('Give a file or a registry, not both.')],
  [
    ['packages', 'add-runtime', 'linux-riscv64'],
    usage(
      `command-argument value 'linux-riscv64' is invalid for argument 'system'. Allowed choices are ${runtimeSystems.join(', ')}.`,
    ),
  ],
]

async function badFiles(): Promise<Refusal[]> {
  const { typed, file, folder, bytes } = given
  const [other, missing] = [join(folder, 'node'), join(folder, 'missing')]
  const darwin = madeNode('darwin-arm64')
  await writeFile(other, darwin)
  const found = sha256Of(bytes)
  return [
    [
      [...typed, file, '--sha256', hash],
      failed(`node.tar.gz has the SHA-256 ${found}, not the one that you gave: download it again.`),
    ],
    [
      [...typed, other, '--sha256', sha256Of(darwin)],
      failed('Compressing it, which takes some seconds', `node is for darwin-arm64, not for ${otherSystem}.`),
    ],
    [
      [...typed, missing, '--sha256', hash],
      { exit: 2, out: '', err: `Cannot read ${missing}: ENOENT: no such file or directory, open '${missing}'\n` },
    ],
  ]
}

async function absentRegistry(): Promise<Refusal> {
  const registry = `http://127.0.0.1:${await freePort()}`
  const { package: name, version, size } = pinnedRuntimes[otherSystem]
  const url = `${registry}/${name}/-/${name}-${version}.tgz`
  const fetching = `Fetching ${url} (${Math.ceil(size / 1e6)} MB)`
  const way = 'Give --registry <url> of a mirror, or a file and its --sha256.'
  const said = failed(fetching, `${url} did not answer with the package: nothing listens there. ${way}`)
  return [[...given.typed, '--registry', registry], said]
}

test('what cannot be added is refused in a sentence, and nothing has changed', async () => {
  const state = async () => [await listed(), await packagesOn(trial, key), await drafts()]
  const was = await state()
  assert.equal(await isThere(), true)
  for (const [words, outcome] of [...badUses(), ...(await badFiles()), await absentRegistry()]) {
    assert.deepEqual(await place.run(words), outcome)
    assert.deepEqual(await state(), was, words.join(' '))
  }
})

test('a command that is killed while it sends a file leaves no Node', async () => {
  assert.equal((await place.run(['packages', 'remove-runtime', otherSystem])).exit, 0)
  const pipe = join(given.folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const sha256 = sha256Of(given.bytes)
  const command = await place.startCommand([...given.typed, pipe, '--sha256', sha256], /(?:)/)
  const sending = createWriteStream(pipe).on('error', () => {})
  const half = given.bytes.subarray(0, given.bytes.length / 2)
  sending.write(half)
  await until(30_000, async () => (await drafts()).some(({ taken }) => taken === half.length))
  await command.kill()
  sending.destroy()
  // A server that takes the file clears away what it has of it.
  if (isEmbedded) await until(30_000, async () => (await drafts()).length === 0)
  else assert.equal((await drafts()).length, 1)
  await addAfterKill()
})

test('a Node that is being fetched when its process is killed is not there afterwards', async (t) => {
  assert.equal((await place.run(['packages', 'remove-runtime', otherSystem])).exit, 0)
  const registry = await hangingRegistry(t, given.bytes.subarray(0, 1_000_000))
  const words = [...given.typed, '--registry', registry]
  const isFetching = () => until(30_000, async () => (await drafts()).some(({ taken }) => taken === 1_000_000))
  if (isEmbedded) {
    const outcome = place.run(words)
    await isFetching()
    await trial.kill()
    const { exit, out, err } = await outcome
    assert.deepEqual([exit, out], [1, ''])
    assert.match(err, /^Fetching .*\nThe server stopped before the command was done\n$/)
    trial = await place.start(['start', '--no-agent'])
  } else {
    const command = await place.startCommand(words, /^Fetching /)
    await isFetching()
    await command.kill()
  }
  assert.equal((await drafts()).length, 1)
  await addAfterKill()
  assert.equal((await packagesOn(trial, key)).length, 4)
})
