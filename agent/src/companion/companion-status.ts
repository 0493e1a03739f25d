import { stat } from 'node:fs/promises'
import http from 'node:http'
import { type CompanionState, readState } from './companion-state.ts'

export type CompanionStatus = {
  state_file: string
  server: string
  organization: string | null
  kid: string
  /** The mode of the file that holds the key: 0600 keeps it from other users. */
  key_file_mode: string
  /** Of the last check-in, as everything below; null before the first. */
  status: 'linking' | 'linked' | 'suspended' | null
  origin: string | null
  port: number | null
  taken_ports: readonly number[]
  checked_in_at: string | null
  /** Whether it answers now at its port. */
  is_running: boolean
}

/** How the companion stands that keeps its key in this file; undefined where none has run. Rejects when it cannot be read. */
export async function readCompanionStatus(stateFile: string): Promise<CompanionStatus | undefined> {
  const state = await readState(stateFile)
  if (!state) return undefined
  const { server, kid, trust, checkedIn } = state
  const { mode } = await stat(stateFile)
  return {
    state_file: stateFile,
    server,
    organization: trust?.organization ?? null,
    kid,
    key_file_mode: (mode & 0o777).toString(8).padStart(4, '0'),
    status: checkedIn?.status ?? null,
    origin: trust?.origin ?? null,
    port: checkedIn?.port ?? null,
    taken_ports: checkedIn?.takenPorts ?? [],
    checked_in_at: checkedIn?.at ?? null,
    is_running: await isAnswering(state),
  }
}

/** Whether the pinned origin would be greeted: by this companion, or by whatever else holds its port. */
function isAnswering({ trust, checkedIn }: CompanionState): Promise<boolean> {
  const port = checkedIn?.port
  if (!trust || !port) return Promise.resolve(false)
  const headers = { origin: trust.origin }
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/v1/hello', headers, agent: false, timeout: 2_000 })
    request.on('response', (response) => {
      response.resume()
      const allowed = response.headers['access-control-allow-origin']
      resolve(response.statusCode === 204 && allowed === trust.origin)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
    request.on('close', () => resolve(false))
  })
}

export const linkWords = {
  linked: 'linked: it proves this device',
  linking: 'not linked yet: its key does not count',
  suspended: 'linked, and the registration of the device is suspended',
} as const

/** The same for a person, a line for each fact. */
export function describeCompanionStatus(found: CompanionStatus, now: string): string[] {
  const { key_file_mode: mode, status, port, taken_ports: taken, checked_in_at: at } = found
  const isKeyOpen = mode !== '0600' && mode !== '0400'
  return [
    `Companion of ${found.server}`,
    row('State file', `${found.state_file}, mode ${mode}${isKeyOpen ? ': other users can read the key' : ''}`),
    row('Key', found.kid),
    row('Link', status === null ? 'not enrolled yet' : linkWords[status]),
    row('Answers', answersOf(found)),
    ...(taken.length === 0 ? [] : [row('Taken ports', `${taken.join(', ')}: other programs listen there`)]),
    row('Pages of', found.origin ?? 'no server yet'),
    row(
      'Last check-in',
      at === null ? 'never' : `${at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}, ${agoOf(at, now)}`,
    ),
    ...(port === null && status !== null ? ['No port was free. It tries again every minute.'] : []),
  ]
}

const row = (name: string, value: string): string => `  ${name.padEnd(15)}${value}`

function answersOf({ is_running: isRunning, port }: CompanionStatus): string {
  if (port === null) return 'no'
  return isRunning ? `at 127.0.0.1:${port}` : `not now; the last time at 127.0.0.1:${port}`
}

export function agoOf(at: string, now: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(now) - Date.parse(at)) / 60_000))
  if (minutes < 1) return 'just now'
  if (minutes < 120) return `${minutes} minute${minutes === 1 ? '' : 's'} ago`
  return `${Math.round(minutes / 60)} hours ago`
}
