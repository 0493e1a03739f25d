import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { awaitShell, findShellForService } from './installed-shell.ts'

function scratch(t: { after(work: () => Promise<void>): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-shell-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('a companion without osquery says once that it waits, and goes on when it is there', async () => {
  const said: string[] = []
  const answers = [undefined, undefined, undefined, { path: '/osqueryi', flags: [] }]
  const { signal } = new AbortController()
  const found = await awaitShell({
    find: () => answers.shift(),
    log: (line) => said.push(line),
    signal,
    secondMs: 0.01,
  })
  assert.deepEqual([found?.path, answers.length], ['/osqueryi', 0])
  assert.match(said[0] ?? '', /osquery is not installed\. It waits/)
  assert.match(said[1] ?? '', /osquery is installed now/)
  assert.equal(said.length, 2)
})

test('it says nothing where osquery is there, and ends where it is told to while it waits', async () => {
  const log = () => assert.fail('nothing to say')
  const shell = { path: '/osqueryi', flags: [] }
  assert.equal(await awaitShell({ find: () => shell, log, signal: new AbortController().signal }), shell)
  const stopping = new AbortController()
  const waiting = awaitShell({ find: () => undefined, log: () => stopping.abort(), signal: stopping.signal })
  assert.equal(await waiting, undefined)
})

test('on a Mac a service asks the daemon in its own folder, as a shell, and no program that a person could have put there', async (t) => {
  const daemon = join(scratch(t), 'osqueryd')
  assert.equal(findShellForService('darwin', daemon), undefined)
  await writeFile(daemon, '', { mode: 0o755 })
  assert.deepEqual(findShellForService('darwin', daemon), { path: daemon, flags: ['-S'] })
})

test('the program of the package waits without osquery, with its folder by an argument, until it is told to end', async (t) => {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    const folder = scratch(t)
    const config = join(folder, 'companion.json')
    await writeFile(config, JSON.stringify({ server: 'https://trust.example.com', enroll_secret_file: 'secret' }))
    await writeFile(join(folder, 'secret'), 'a-secret')
    const program = fileURLToPath(new URL('companion-program.ts', import.meta.url))
    const companion = spawn(process.execPath, [program, config, join(folder, 'state')], {
      env: { PATH: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(async () => void companion.kill('SIGKILL'))
    const ended = once(companion, 'exit')
    const [said] = await once(companion.stdout.setEncoding('utf8'), 'data')
    assert.match(said, /^companion: osquery is not installed/)
    companion.kill(signal)
    assert.deepEqual(await ended, [0, null], signal)
  }
})
