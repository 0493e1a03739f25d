import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startOf } from '../../server/src/base/process-start.ts'
import { endLateProcesses } from './end-late-processes.ts'
import { noLimits } from './run-cases.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-end-late-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const isUnknown = startOf(process.pid) === undefined && 'the start of a process is known on Linux only'

/** A process that waits, and how it ends: `ended` tells the signal. */
function waiting() {
  const child: ChildProcess = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], { stdio: 'ignore' })
  const pid = Number(child.pid)
  const ended = once(child, 'exit').then(([, signal]) => signal)
  return { pid, startedAt: startOf(pid), ended, terminate: () => child.kill('SIGTERM') }
}

test('only the process that noted a late file is ended, not one that has its number by now', {
  skip: isUnknown,
}, async () => {
  const [late, reused, done, unknown] = [waiting(), waiting(), waiting(), waiting()]
  const ofBefore = `${late.startedAt}0`
  const begin = { what: 'begin', usedSeconds: 0 }
  const notes = [
    { ...begin, pid: reused.pid, startedAt: ofBefore, path: 'of-before.test.ts' },
    { ...begin, pid: reused.pid, startedAt: reused.startedAt, path: 'at-work.test.ts' },
    { ...begin, pid: unknown.pid, path: 'without-a-start.test.ts' },
    { ...begin, pid: done.pid, startedAt: done.startedAt, path: 'done.test.ts' },
    { pid: done.pid, startedAt: done.startedAt, what: 'done' },
    { ...begin, pid: late.pid, startedAt: late.startedAt, path: 'late.test.ts', usedSeconds: -600 },
    { pid: late.pid, startedAt: ofBefore, what: 'done' },
  ]
  const times = join(folder, 'times.jsonl')
  writeFileSync(times, notes.map((note) => `${JSON.stringify(note)}\n`).join(''))
  let output = ''
  const watch = endLateProcesses({ times, limits: { ...noLimits, processorMs: 600_000, graceMs: 0 } }, (chunk) => {
    output += chunk
  })
  try {
    assert.equal(await late.ended, 'SIGKILL')
    assert.equal(
      output,
      '✖ late.test.ts has used 600 s of processor time: it is ended\n✖ late.test.ts does not end: its process is ended\n',
    )
  } finally {
    watch.stop()
    const innocent = [reused, done, unknown]
    // The watcher's signal would have come first.
    for (const { terminate } of innocent) terminate()
    assert.deepEqual(await Promise.all(innocent.map(({ ended }) => ended)), ['SIGTERM', 'SIGTERM', 'SIGTERM'])
  }
})
