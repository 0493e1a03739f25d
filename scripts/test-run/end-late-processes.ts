import { readNotes } from './report-times.ts'
import type { ProcessNote } from './run-files.ts'

/** How much longer than its file a process may take: the suite's own time-out, which tells more, comes first. */
const graceMs = 30_000
const everyMs = 2_000

type Options = { readonly limitMs: number; readonly onOutput: (chunk: string) => void; readonly graceMs?: number }

/** Ends the test processes that do not end themselves: by a file that blocks them, or by what a file has left open. */
export function endLateProcesses(times: string, options: Options): { stop(): void } {
  const ended = new Set<number>()
  const timer = setInterval(() => {
    for (const { pid, path } of findLate(readNotes(times), Date.now(), options)) {
      if (ended.has(pid)) continue
      ended.add(pid)
      options.onOutput(`✖ ${path} does not end: its process is ended\n`)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has just ended by itself.
      }
    }
  }, everyMs)
  return { stop: () => clearInterval(timer) }
}

type Late = { readonly pid: number; readonly path: string }

/** The processes that have been at the same thing for too long, with the file that they had last. */
function findLate(
  notes: readonly ProcessNote[],
  nowMs: number,
  { limitMs, graceMs: grace = graceMs }: Options,
): Late[] {
  const byProcess = Map.groupBy(notes, ({ pid }) => pid)
  return [...byProcess].flatMap(([pid, all]) => {
    const last = all.at(-1)
    const path = all.findLast((one) => one.what === 'begin')?.path ?? ''
    if (!last || !isThere(pid)) return []
    return nowMs - last.atMs > (last.what === 'begin' ? limitMs : 0) + grace ? [{ pid, path }] : []
  })
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
