import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findShellForService } from './installed-shell.ts'

function scratch(t: { after(work: () => Promise<void>): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-shell-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

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
