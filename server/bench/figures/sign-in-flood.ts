import { createHash } from 'node:crypto'
import type { SignInReport } from '@muster/agent/simulate/sign-ins/sign-in-report.ts'
import { type Bench, count, type Figure, type Finding, ms, ratioText } from '../figure.ts'
import { type HttpSocket, openSocket } from '../load/open-socket.ts'
import { openSignInTrial, type SignInTrial } from '../trial/open-sign-ins.ts'
import { onServer } from '../trial/open-trial.ts'

const target = 2
const people = 60
const perSecond = 3
const measured = 60
/** As many as a stranger keeps under way. */
const sockets = 8

export const signInFlood: Figure = { number: '18', title: 'Sign-ins while strangers send requests', run }

type Kept = Record<'logs' | 'events' | 'sessions' | 'records' | 'sessionBytes' | 'recordBytes', number>
type Flood = { sent: number; statuses: Map<number, number>; elapsedMs: number; processorMs: number }
type Attack = { from: string; report: SignInReport; flood: Flood; before: Kept; after: Kept; megabytes: number[] }

async function run(bench: Bench): Promise<Finding[]> {
  const place = await openSignInTrial(bench, { name: 'flood', people, connections: 4 })
  try {
    bench.say('quiet')
    const quiet = await place.signInAll(measured, { perSecond })
    const few = await attack(place, bench, 'a few addresses', (number) => `198.51.100.${number % 5}`)
    const many = await attack(place, bench, 'as many networks', networkOf)
    return [few, many].map((one) => findingOf(quiet, one))
  } finally {
    await place.close()
  }
}

const networkOf = (number: number): string =>
  `2001:db8:${(number >> 16).toString(16)}:${(number & 65_535).toString(16)}::1`

async function attack(place: SignInTrial, { scale, say }: Bench, from: string, addressOf: (number: number) => string) {
  const { ours, trial, signInAll } = place
  say(`${count(scale.strangers)} unsigned requests from ${from}`)
  const [before, usedBefore] = [await keptIn(trial), await ours.usage()]
  const flooding = startFlood(place, addressOf, scale.strangers)
  const report = await signInAll(measured, { perSecond })
  const flood = await flooding
  const usedAfter = await ours.usage()
  return {
    ...{ from, report, before, after: await keptIn(trial) },
    flood: { ...flood, processorMs: usedAfter.processorMs - usedBefore.processorMs },
    megabytes: [usedBefore.residentMegabytes, usedAfter.residentMegabytes],
  }
}

/** Each request with the address of a colleague and as much beside it as fits. */
async function startFlood({ setups, ours }: SignInTrial, addressOf: (number: number) => string, total: number) {
  const [setup] = setups
  const { host } = new URL(setup?.issuer ?? '')
  const statuses = new Map<number, number>()
  const startedAt = performance.now()
  let sent = 0
  async function ask(socket: HttpSocket): Promise<void> {
    while (sent < total) {
      sent += 1
      const challenge = createHash('sha256').update(String(sent)).digest('base64url')
      const parameters = new URLSearchParams({
        ...{ client_id: setup?.clientId ?? '', redirect_uri: setup?.redirectUri ?? '', response_type: 'code' },
        ...{ scope: 'openid', code_challenge: challenge, code_challenge_method: 'S256' },
        ...{ state: challenge.repeat(8), login_hint: setup?.people[0] ?? '' },
      })
      const head = [
        `GET /signin/oidc/auth?${parameters} HTTP/1.1`,
        `host: ${host}`,
        `x-forwarded-for: ${addressOf(sent)}`,
      ].join('\r\n')
      const { status } = await socket.send(Buffer.from(`${head}\r\n\r\n`))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const open = await Promise.all(Array.from({ length: sockets }, () => openSocket(ours.origin)))
  await Promise.all(open.map(ask))
  for (const socket of open) socket.close()
  return { sent, statuses, elapsedMs: performance.now() - startedAt }
}

async function keptIn({ databaseUrl }: SignInTrial['trial']): Promise<Kept> {
  const nothing = { logs: 0, events: 0, sessions: 0, records: 0, sessionBytes: 0, recordBytes: 0 }
  if (databaseUrl === undefined) return nothing
  const [row] = await onServer(
    databaseUrl,
    `select (select count(*) from auth_logs)::int as logs, (select count(*) from events where type like 'auth_logs.%')::int as events,
      (select count(*) from signin_sessions)::int as sessions, (select count(*) from oidc_records)::int as records,
      pg_total_relation_size('signin_sessions')::int as "sessionBytes", pg_total_relation_size('oidc_records')::int as "recordBytes"`,
  )
  return { ...nothing, ...row }
}

function findingOf(quiet: SignInReport, { from, report, flood, before, after, megabytes }: Attack): Finding {
  const ratio = report.whole.p99Ms / quiet.whole.p99Ms
  const grown = (what: keyof Kept) => after[what] - before[what]
  const answers = [...flood.statuses].map(([status, times]) => `${count(times)} × ${status}`).join(', ')
  const isSilent = grown('logs') === report.signIns && grown('events') === report.signIns
  return {
    figure: '18',
    what: `p99 of sign-ins while ${count(flood.sent)} unsigned requests come from ${from}`,
    ours: ms(report.whole.p99Ms),
    limit: `${ms(quiet.whole.p99Ms)} without them`,
    ratio: ratioText(ratio),
    target: `≤ ${target.toFixed(2)}, and no log of a stranger`,
    isMet: ratio <= target && isSilent,
    notes: [
      `p50 ${ms(report.whole.p50Ms)}, without them ${ms(quiet.whole.p50Ms)}; ${report.signIns} sign-ins left ${grown('logs')} logs and ${grown('events')} announcements`,
      `answers ${answers} in ${(flood.elapsedMs / 1_000).toFixed(0)} s; at most ${ms(flood.processorMs / flood.sent)} of the server's processor time each`,
      `rows: signin_sessions ${count(grown('sessions'))}, oidc_records ${count(grown('records'))}; MB ${(grown('sessionBytes') / 2 ** 20).toFixed(1)} and ${(grown('recordBytes') / 2 ** 20).toFixed(1)}`,
      `memory of the server: ${megabytes.map((value) => count(value)).join(' → ')} MB`,
    ],
  }
}
