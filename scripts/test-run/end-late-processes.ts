import { startOf } from '../../server/src/base/process-start.ts'
import { readNotes } from './report-times.ts'
import type { Limits, ProcessNote } from './run-files.ts'

const everyMs = 2_000

interface Watched extends Limits {
  /** See `Share`. */
  readonly times: string
}

/**
 * Ends the test processes whose file does not end, from outside, since a file that blocks its process cannot do so itself. What
 * keeps a process open that has no more files ends in the process, see `runFiles`.
 */
export function endLateProcesses(watched: Watched, onOutput: (chunk: string) => void): { stop(): void } {
  const ended = new Set<string>()
  const timer = setInterval(() => {
    for (const { pid, path, identity } of findLate(readNotes(watched.times), Date.now(), watched)) {
      if (ended.has(identity)) continue
      ended.add(identity)
      onOutput(`✖ ${path} does not end: its process is ended\n`)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has just ended by itself.
      }
    }
  }, everyMs)
  return { stop: () => clearInterval(timer) }
}

type Late = { readonly pid: number; readonly path: string; readonly identity: string }

/** The processes that have been at the same thing for too long, with the file that they had last. */
function findLate(notes: readonly ProcessNote[], nowMs: number, { limitMs, graceMs }: Limits): Late[] {
  const byProcess = Map.groupBy(notes, ({ pid, startedAt }) => `${pid} ${startedAt}`)
  return [...byProcess].flatMap(([identity, all]) => {
    const last = all.at(-1)
    if (!last || last.what === 'done') return []
    const path = all.findLast((one) => one.what === 'begin')?.path ?? ''
    const isLate = nowMs - last.atMs > (last.what === 'begin' ? limitMs : 0) + graceMs
    return isLate && isStillThere(last) ? [{ pid: last.pid, path, identity }] : []
  })
}

/** A number alone may be another program's by now: where its start is not known, no process is taken for the one that noted it. */
const isStillThere = ({ pid, startedAt }: ProcessNote) => startedAt !== undefined && startOf(pid) === startedAt
