/**
 * What a test file may take. It is judged by processor time, its own and that of its descendants, since how long that takes by
 * the clock depends on the machine and on what else runs there.
 */
export interface Limits {
  readonly processorMs: number
  /** It is idle when it used less than a 300th of so long a time, and so did its descendants and its sessions of PostgreSQL. */
  readonly idleMs: number
  /** By the clock, for a file that is never idle and never ends. */
  readonly lastMs: number
  /** How long it may take to end by the clock when it is past a limit, before its process is ended; and a process without more files. */
  readonly graceMs: number
}

/** Seconds of processor time. */
export interface Use {
  /** By the file and its descendants since it began. */
  readonly used: number
  /** By sessions of PostgreSQL on its behalf. */
  readonly served: number
}

const idleShare = 1 / 300

/**
 * Follows a file that begins now, and tells at each look at what it uses which limit it is past, in words; undefined as long as it
 * is past none. `nowMs` is of a clock that stands still while the machine sleeps.
 */
export function followFile(limits: Limits, beganAtMs: number): (nowMs: number, use: Use) => string | undefined {
  let lastSign: { readonly atMs: number; readonly seconds: number } | undefined
  return (nowMs, { used, served }) => {
    const seconds = used + served
    const since = seconds - (lastSign?.seconds ?? 0)
    // It falls when a process leaves or a session ends, which is a sign of life as well.
    if (!lastSign || since < 0 || since >= (limits.idleMs / 1000) * idleShare) lastSign = { atMs: nowMs, seconds }
    if (used * 1000 >= limits.processorMs) return `has used ${inSeconds(limits.processorMs)} of processor time`
    if (nowMs - lastSign.atMs >= limits.idleMs) return `has been idle for ${inSeconds(limits.idleMs)}`
    if (nowMs - beganAtMs >= limits.lastMs) return `has not ended within ${inSeconds(limits.lastMs)}`
    return undefined
  }
}

const inSeconds = (ms: number): string => `${ms / 1000} s`
