import { homedir } from 'node:os'

/** `look`: something to look at, which may be what is wrong; `unknown`: the system does not tell. */
export type Verdict = 'ok' | 'look' | 'unknown'

/** What was looked at, and how it was found, in words that name no person, no serial number and no address of a server. */
export type Row = { what: string; found: string; verdict: Verdict }

export const ok = (what: string, found: string): Row => ({ what, found, verdict: 'ok' })
export const look = (what: string, found: string): Row => ({ what, found, verdict: 'look' })
export const unknown = (what: string, found: string): Row => ({ what, found, verdict: 'unknown' })

export const okIf = (isOk: boolean, what: string, found: string): Row => (isOk ? ok : look)(what, found)

/** Answers SQL by osquery; undefined where osquery is not installed or does not answer. */
export type Ask = (sql: string) => Promise<Record<string, string>[] | undefined>

/** A path without the name of the person whose home it is in. */
export const shown = (path: string): string =>
  path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path
