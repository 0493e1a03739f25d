import type { Logger } from 'pino'
import { runConsoleAccessRetention } from './access/sessions/run-console-access-retention.ts'
import { assignOwnersByAccount } from './administration/registrations/assign-owners-by-account.ts'
import { endQuietConflicts } from './administration/registrations/end-identity-conflicts.ts'
import { purgeDevices } from './administration/registrations/purge-devices.ts'
import { endRequestsOfLeavers } from './administration/requests/end-requests-of-leavers.ts'
import { dropUnlinkedKeys } from './agents/companion-keys/drop-unlinked-keys.ts'
import { dropOldChallenges } from './agents/device-proofs/give-challenge.ts'
import { refuseUnconfirmedNodes } from './agents/protocol/refuse-unconfirmed-nodes.ts'
import { type ChangeOrigin, type Initiator, newCause } from './base/change-context.ts'
import type { Clock } from './base/clock.ts'
import type { Config } from './base/config/load-config.ts'
import type { Connection } from './base/db/connect.ts'
import type { Db } from './base/db/transact.ts'
import { causedJob } from './base/jobs/caused-job.ts'
import type { JobName } from './base/jobs/job-data.ts'
import { repeat } from './base/jobs/repeat.ts'
import { type JobHandlers, type ScheduledJob, startJobs } from './base/jobs/start-jobs.ts'
import { keptMs } from './base/retention.ts'
import { plusMs } from './base/time.ts'
import { removeCheck } from './checks/definitions/remove-check.ts'
import { updateShippedChecks } from './checks/definitions/update-shipped-checks.ts'
import { endExpiredExemptions } from './compliance/exemptions/end-expired-exemptions.ts'
import { holdEarlierBlocks } from './compliance/issues/hold-earlier-blocks.ts'
import { endFixedHolds } from './compliance/targeting/end-fixed-holds.ts'
import { recomputeCheck } from './compliance/targeting/recompute-check.ts'
import { resumeWork } from './compliance/targeting/resume-work.ts'
import { startHeartbeat } from './health/worker-heartbeats.ts'
import { settleDueDevices } from './inventory/devices/settle-due-devices.ts'
import { dropOldResults } from './live-queries/drop-old-results.ts'
import { giveUpWaiting } from './live-queries/give-up-waiting.ts'
import { dropOldDays } from './reporting/compliance-days/drop-old-days.ts'
import { recordDays } from './reporting/compliance-days/record-days.ts'
import { queueDueRuns } from './reporting/queries/queue-due-runs.ts'
import { runRequested, runsAtOnce } from './reporting/queries/run-requested.ts'
import { dropOldAuthLogs } from './sign-in/auth-logs/drop-old-auth-logs.ts'
import { expireAuthLogs } from './sign-in/auth-logs/expire-auth-logs.ts'
import { capBypassCodes, dropOldBypassCodes } from './sign-in/bypass/bypass-codes.ts'
import { capPauses } from './sign-in/connections/pause-connection.ts'
import { refreshRequestKeys } from './sign-in/connections/refresh-request-keys.ts'
import { upstreamEgress } from './sign-in/egress/upstream-egress.ts'
import { dropExpiredRecords } from './sign-in/oidc/drop-expired-records.ts'
import { dropIdleSessions, dropSeenRequests } from './sign-in/sessions/drop-idle-sessions.ts'
import { keepVerification, requestVerifications } from './signals/audit/keep-verification.ts'
import { dropOldEvents } from './signals/events/drop-old-events.ts'
import { startPush } from './signals/streams/push/start-push.ts'
import { runStreamRetention, runVerificationRetention } from './signals/streams/retention/run-stream-retention.ts'
import type { StreamParts } from './signals/streams/start-streams.ts'
import { startDeliveries } from './signals/webhooks/deliver/start-deliveries.ts'
import { runWebhookRetention } from './signals/webhooks/retention/run-webhook-retention.ts'

export type WorkerParts = { config: Config; connection: Connection; clock: Clock; log: Logger; streams: StreamParts }

export type Worker = { stop(): Promise<void> }

const dueDevicesEveryMs = 1_000
/** Only the first time after an upgrade finds anything; the others are for what failed then. */
const shippedChecksEveryMs = 600_000

/** The table of contents of the background. Any number of processes may run it on one database. */
export async function startWorker({ config, connection, clock, log, streams }: WorkerParts): Promise<Worker> {
  const { db } = connection
  const context = (initiator: Initiator) => (): ChangeOrigin => ({ ...newCause(), initiator, now: clock() })
  const by = <Name extends JobName>(name: Name, initiator: Initiator) => ({ name, initiator, clock, log })

  const queued: JobHandlers = {
    'recompute-check': causedJob(by('recompute-check', 'admin'), (check, change, signal) =>
      recomputeCheck(db, check, change, signal),
    ),
    'hold-earlier-blocks': causedJob(by('hold-earlier-blocks', 'policy'), async (hold, change) => {
      await holdEarlierBlocks(db, hold, change())
      return []
    }),
    'remove-check': causedJob(by('remove-check', 'admin'), async (check, change, signal) => {
      await removeCheck(db, check, change, signal)
      return []
    }),
    'verify-audit-log': ({ data }, signal) => keepVerification(db, { ...data, clock, signal }),
    // Whose turn it is, is decided when one begins.
    'run-reporting-query': async (_job, signal) => {
      await runRequested(connection, clock, signal)
    },
  }
  const onError = (error: Error) => log.error({ err: error }, 'A background job failed')
  await resumeWork(db)
  const atOnce = { 'run-reporting-query': runsAtOnce[connection.engine] }
  const jobs = await startJobs(connection, {
    queued,
    scheduled: scheduledJobs(db, { config, clock, log }),
    atOnce,
    onError,
  })
  const heartbeat = startHeartbeat(db)
  // Deadlines pass by the second, which is finer than any schedule of jobs.
  const settleDue = async () => {
    await settleDueDevices(db, context('policy'))
    await heartbeat.beat()
  }
  const stopping = new AbortController()
  const updateChecks = () => updateShippedChecks(db, { context: context('system'), signal: stopping.signal })
  const parts: { stop(): Promise<void> }[] = [jobs]
  try {
    await heartbeat.beat()
    parts.push(repeat(dueDevicesEveryMs, settleDue, onError))
    parts.push(repeat(dueDevicesEveryMs, () => endExpiredExemptions(db, context('policy')), onError))
    parts.push(repeat(shippedChecksEveryMs, updateChecks, onError))
    parts.push(startPush(streams))
    parts.push(await startDeliveries(streams))
  } catch (error) {
    // A process that cannot begin ends, and is started again from outside.
    await Promise.allSettled(parts.map((part) => part.stop()))
    throw error
  }
  return {
    async stop() {
      stopping.abort()
      await Promise.all(parts.map((part) => part.stop()))
      await heartbeat.stop()
    },
  }
}

function scheduledJobs(
  db: Db,
  { config, clock, log }: Pick<WorkerParts, 'config' | 'clock' | 'log'>,
): Record<string, ScheduledJob> {
  const bySystem = (): ChangeOrigin => ({ ...newCause(), initiator: 'system', now: clock() })
  return {
    'purge-devices': {
      cron: '* * * * *',
      run: async () => {
        const deletedBefore = plusMs(clock(), -config.deviceDeletionDelaySeconds * 1_000)
        await purgeDevices(db, deletedBefore, bySystem())
      },
    },
    'assign-owners-by-account': {
      cron: '*/5 * * * *',
      run: (signal) => assignOwnersByAccount(db, clock, signal),
    },
    'end-fixed-holds': { cron: '* * * * *', run: () => endFixedHolds(db, bySystem) },
    'refuse-unconfirmed-nodes': { cron: '* * * * *', run: () => refuseUnconfirmedNodes(db, clock()) },
    'end-quiet-conflicts': { cron: '53 * * * *', run: () => endQuietConflicts(db, clock()) },
    'end-requests-of-leavers': { cron: '* * * * *', run: () => endRequestsOfLeavers(db, clock) },
    'expire-verifications': { cron: '*/5 * * * *', run: () => runVerificationRetention(db, clock()) },
    'run-stream-retention': { cron: '29 * * * *', run: () => runStreamRetention(db, clock()) },
    'run-webhook-retention': { cron: '31 * * * *', run: () => runWebhookRetention(db, clock()) },
    'run-console-access-retention': { cron: '37 * * * *', run: () => runConsoleAccessRetention(db, clock()) },
    'verify-audit-logs': { cron: '11 4 * * *', run: () => requestVerifications(db) },
    'drop-old-events': { cron: '17 * * * *', run: () => dropOldEvents(db, plusMs(clock(), -keptMs.events)) },
    // The last time of a day is in its last minute.
    'record-days': { cron: '14,29,44,59 * * * *', run: () => recordDays(db, clock()) },
    'drop-old-days': {
      cron: '47 3 * * *',
      run: async () => {
        const before = (milliseconds: number) => plusMs(clock(), -milliseconds)
        await dropOldDays(db, { figures: before(keptMs.complianceDays), devices: before(keptMs.deviceStandings) })
      },
    },
    'expire-auth-logs': { cron: '* * * * *', run: () => expireAuthLogs(db, bySystem) },
    'drop-idle-sign-ins': { cron: '*/5 * * * *', run: () => dropIdleSessions(db, clock()) },
    'refresh-request-keys': {
      cron: '*/10 * * * *',
      run: (signal) => {
        const warn = (facts: object, text: string) => log.warn(facts, text)
        return refreshRequestKeys({ db, egress: upstreamEgress(config), clock, warn }, signal)
      },
    },
    'cap-exceptions': {
      cron: '*/10 * * * *',
      run: async () => {
        await capPauses(db, clock())
        await capBypassCodes(db, clock())
      },
    },
    'drop-old-bypass-codes': { cron: '40 3 * * *', run: () => dropOldBypassCodes(db, clock()) },
    'drop-unlinked-keys': { cron: '23 * * * *', run: () => dropUnlinkedKeys(db, clock()) },
    'drop-old-challenges': { cron: '* * * * *', run: () => dropOldChallenges(db, clock()) },
    'drop-seen-requests': { cron: '*/10 * * * *', run: () => dropSeenRequests(db, clock()) },
    'drop-expired-oidc-records': { cron: '*/10 * * * *', run: () => dropExpiredRecords(db, clock()) },
    'drop-old-auth-logs': { cron: '41 * * * *', run: () => dropOldAuthLogs(db, clock()) },
    'give-up-waiting': { cron: '*/5 * * * *', run: () => giveUpWaiting(db, clock()) },
    'drop-old-live-results': { cron: '43 * * * *', run: () => dropOldResults(db, clock()) },
    'queue-reporting-queries': { cron: '* * * * *', run: () => queueDueRuns(db, clock()) },
  }
}
