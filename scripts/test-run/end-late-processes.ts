import { renameSync, writeFileSync } from 'node:fs'
import { startOf } from '../../server/src/base/process-start.ts'
import { followFile, type Limits } from './file-limits.ts'
import { type Process, readProcesses, readSessions, type Session, servedTo, usedBy } from './process-use.ts'
import { readNotes } from './report-times.ts'
import { type ProcessNote, type Verdict, verdictFile } from './run-files.ts'

const everyMs = 2_000

interface Watched {
  /** See `Share`. */
  readonly times: string
  readonly limits: Limits
}

/** A process at what it noted last: a file, or the time between two. */
interface Followed {
  readonly notes: number
  readonly judge: ReturnType<typeof followFile>
  lateSinceMs?: number
  isEnded?: boolean
}

/**
 * Tells test processes whose file is past a limit, which then end the file, and ends those that do not: from outside, since a
 * file that blocks its process can do neither. What keeps a process open that has no more files ends in the process, see `runFiles`.
 */
export function endLateProcesses(watched: Watched, onOutput: (chunk: string) => void): { stop(): void } {
  const followed = new Map<string, Followed>()
  const timer = setInterval(() => {
    const processes = readProcesses()
    if (!processes) return
    const looking = { ...watched, onOutput, processes, sessions: readSessions(processes) }
    const byProcess = Map.groupBy(readNotes(watched.times), ({ pid, startedAt }) => `${pid} ${startedAt}`)
    for (const [identity, notes] of byProcess) {
      const last = notes.at(-1)
      if (!last || last.what === 'done' || !isStillThere(last)) continue
      const before = followed.get(identity)
      const judge = followFile(watched.limits, performance.now())
      const current = before?.notes === notes.length ? before : { notes: notes.length, judge }
      followed.set(identity, current)
      look(current, last, looking)
    }
  }, everyMs)
  return { stop: () => clearInterval(timer) }
}

interface Looking extends Watched {
  readonly processes: readonly Process[]
  readonly sessions: readonly Session[]
  onOutput(chunk: string): void
}

function look(one: Followed, { pid, startedAt, path, usedSeconds }: Working, looking: Looking): void {
  const { times, limits, processes, sessions, onOutput } = looking
  const nowMs = performance.now()
  if (one.lateSinceMs === undefined) {
    const used = usedBy(pid, processes) - usedSeconds
    const reason = one.judge(nowMs, { used, served: servedTo(pid, sessions) })
    if (reason === undefined) return
    one.lateSinceMs = nowMs
    onOutput(`✖ ${path} ${reason}: it is ended\n`)
    tell(verdictFile(times, pid), { startedAt, path, reason })
  } else if (nowMs - one.lateSinceMs >= limits.graceMs && !one.isEnded) {
    one.isEnded = true
    onOutput(`✖ ${path} does not end: its process is ended\n`)
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has just ended by itself.
    }
  }
}

/** Renamed into place, so that the process reads the whole of it or nothing. */
function tell(file: string, verdict: Verdict): void {
  writeFileSync(`${file}.draft`, JSON.stringify(verdict))
  renameSync(`${file}.draft`, file)
}

type Working = Exclude<ProcessNote, { what: 'done' }>

/** A number alone may be another program's by now: where its start is not known, no process is taken for the one that noted it. */
const isStillThere = ({ pid, startedAt }: ProcessNote) => startedAt !== undefined && startOf(pid) === startedAt
