import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { JWK } from 'jose'

/** What the server has told at a check-in, as far as proofs depend on it. */
export type Trust = {
  organization: string
  /** The only origin that may ask for proofs. */
  origin: string
  challengeKeys: JWK[]
  ports: number[]
  epoch: string
}

/** How the companion stood at a check-in, for `muster companion status`. */
export type CheckedIn = {
  /** ISO 8601, by the server's clock. */
  at: string
  status: 'linking' | 'linked' | 'suspended'
  port: number | null
  takenPorts: readonly number[]
}

/** What outlives a restart: the key of this companion at that server, and what the server has told. */
export type CompanionState = {
  server: string
  kid: string
  privateJwk: JWK
  trust: Trust | undefined
  checkedIn?: CheckedIn | undefined
  /** What the key before has signed for this one; undefined once the server has linked it. */
  replaces?: string | undefined
}

/** The state that the file holds; undefined when there is none. */
export async function readState(file: string): Promise<CompanionState | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  try {
    const { server, kid, privateJwk, trust, checkedIn, replaces } = JSON.parse(text) as CompanionState
    return server && kid && privateJwk ? { server, kid, privateJwk, trust, checkedIn, replaces } : undefined
  } catch {
    return undefined
  }
}

/** Writes the state for this user's eyes only; a crash leaves the old file or the new one. */
export async function writeState(file: string, state: CompanionState): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.tmp`
  await writeFile(draft, `${JSON.stringify(state)}\n`, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, file)
}

const writtenEveryMs = 60_000

/** Whether there is anything to write: more has changed than the time, or that by a minute. */
export function isNews(before: CompanionState, now: CompanionState): boolean {
  const lasting = ({ trust, checkedIn }: CompanionState) => JSON.stringify({ trust, ...checkedIn, at: '' })
  const atMs = ({ checkedIn }: CompanionState) => Date.parse(checkedIn?.at ?? '')
  return lasting(before) !== lasting(now) || atMs(now) - atMs(before) >= writtenEveryMs
}

/** The public half of a private key. */
export const publicHalf = ({ kty, crv, x, y }: JWK): JWK => ({ kty, crv, x, y }) as JWK
