import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { homedir, hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Example, examplesIn, notIn } from '../support/documented-examples.ts'
import { freePort, type MusterProcess, until } from '../support/muster-process.ts'
import { openRunPlace } from '../support/run-place.ts'

/** Examples that are not run, by how they begin, and why a machine cannot. */
const notRun: Record<string, string> = {
  'git clone': 'It gets and installs what the test runs with; the start itself is in docs/getting-started.md.',
  'npm ci && npm test': 'It is the suite that this test is of.',
  'npm start -- --lan': 'It listens on the network.',
  'npx muster demo': 'It runs until it is stopped; demo.test.ts runs it in a browser.',
  'export DATABASE_URL=': 'A production server has PostgreSQL; the move to one is run by transfer.test.ts.',
  "npx muster organizations create 'Example Ltd'":
    'A production server begins without an organization, a trial has one.',
  'export MUSTER_MASTER_KEY=': 'It goes with the PostgreSQL server.',
  'npx muster migrate': 'It goes with the PostgreSQL server.',
  'npx muster import': 'Only a new database takes an import; transfer.test.ts runs it.',
  'npx muster doctor': 'It goes with the PostgreSQL server.',
  'curl -si -H "Authorization: Bearer $KEY" http://localhost:8080/whoami': 'It shows a minute that is used up.',
}
/** Their answers are empty where this machine passes its checks, or once nothing blocks anymore. */
const mayBeEmpty = /open_issues|will_block_at</

const root = fileURLToPath(new URL('../../..', import.meta.url))
const port = String(await freePort())
const place = await openRunPlace({ after }, { PORT: port })
const origin = `http://localhost:${port}`

/** The pages were written on another machine, whose name, user and folders stand in them. */
const here = (text: string): string =>
  text
    .replaceAll('http://localhost:8080', origin)
    .replaceAll('/opt/muster/data', place.dataDir)
    .replaceAll('/tmp/simulated.json', join(place.dataDir, 'simulated.json'))
    .replaceAll('trial.export', join(place.dataDir, 'trial.export'))
    .replaceAll('root@vm', `${userInfo().username}@${hostname()}`)
    .replaceAll('@vm"', `@${hostname()}"`)
    .replaceAll('"vm"', JSON.stringify(hostname()))
    // Root is not told what it lacks.
    .replace(process.getuid?.() === 0 ? /^ +Without root, .*\n/m : '', '')

test('the examples of the documentation run as they are shown', async (t) => {
  const lacking = ['bash', 'curl', 'jq', 'openssl'].find((program) => spawnSync('which', [program]).status !== 0)
  if (lacking !== undefined) return t.skip(`${lacking} is not installed`)
  const shell = openShell()
  for (const page of ['README.md', 'docs/getting-started.md', 'docs/production.md', 'docs/api.md']) {
    const examples = examplesIn(await readFile(join(root, page), 'utf8'))
    assert.ok(examples.length > 2, page)
    for (const example of examples) await runExample(t, page, example, shell)
  }
  assert.deepEqual(shell.unusedReasons(), [], 'examples that are no longer there')
  await shell.end()
})

type Shell = ReturnType<typeof openShell>

async function runExample(t: TestContext, page: string, { command, shown }: Example, shell: Shell): Promise<void> {
  if (shell.isNotRun(command)) return
  await t.test(`${page}: ${command.split('\n')[0] || shown.split('\n')[0]}`, async () => {
    const isLike = (real: string) => {
      const missing = notIn(here(shown), real)
      return missing.length === 0 || (real.trim() === '' && mayBeEmpty.test(command)) || missing
    }
    // What continues printing has printed all of it after a while.
    const running = await shell.running(command)
    if (running) await until(120_000, async () => isLike(running.output()) === true).catch(() => {})
    const real = running ? running.output() : await shell.run(here(command))
    assert.equal(
      isLike(real),
      true,
      `${JSON.stringify(isLike(real), null, 2)}\nis not in what it prints here:\n${real}`,
    )
  })
}

/** Exports and functions hold for what comes after them; a key that is left out is the one that was printed last. */
function openShell() {
  const env = { ...place.env, HOME: homedir() }
  const prelude: string[] = []
  const reasons = new Set(Object.keys(notRun))
  let printed = ''
  let trial: MusterProcess | undefined
  let receiver: MusterProcess | undefined

  return {
    isNotRun(command: string): boolean {
      const reason = Object.keys(notRun).find((beginning) => command.startsWith(beginning))
      if (reason !== undefined) reasons.delete(reason)
      return reason !== undefined
    },
    unusedReasons: () => [...reasons],
    /** The process of a command that continues, or whose answer is shown by itself. */
    async running(command: string): Promise<MusterProcess | undefined> {
      if (command === '') return receiver
      if (command === 'npm start') {
        trial = await place.start(['start'])
        await trial.says(/agent: answered/)
        printed = trial.output()
        return trial
      }
      if (!command.startsWith('npx muster receiver')) return undefined
      receiver = await place.startCommand(command.split(' ').slice(2), /Polling/, { MUSTER_API_KEY: lastKey(printed) })
      return receiver
    },
    async run(command: string): Promise<string> {
      const typed = command.replaceAll('mstr_v1_…', lastKey(printed))
      if (/^(?:export \w+=|\w+\(\) \{)/.test(typed)) prelude.push(typed)
      const script = ['set -euo pipefail', ...prelude, typed].join('\n')
      const { out, fault } = await bash(script, env)
      assert.equal(fault, undefined, `${fault}\n${out}`)
      printed += out
      return out
    },
    async end() {
      assert.equal(await receiver?.stop('SIGINT'), 0)
      assert.equal(await trial?.stop(), 0)
    },
  }
}

const lastKey = (text: string): string => text.match(/mstr_v1_[0-9A-Za-z]{36}/g)?.at(-1) ?? ''

/** Both outputs, in the project's folder, where `npx muster` finds the program. */
const bash = (script: string, env: NodeJS.ProcessEnv): Promise<{ out: string; fault: string | undefined }> =>
  new Promise((resolve) => {
    execFile('bash', ['-c', script], { cwd: root, env }, (error, out, err) =>
      resolve({ out: `${out}${err}`, fault: error?.message }),
    )
  })
