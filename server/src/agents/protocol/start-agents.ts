import { type Repetition, repeat } from '../../base/jobs/repeat.ts'
import { hourMs } from '../../base/time.ts'
import { onAgentNotice } from '../../inventory/devices/agent-notice-hints.ts'
import { purgeAgentNotices } from '../../inventory/devices/purge-agent-notices.ts'
import { endLinksByNodeKey } from '../companion-keys/link-companion.ts'
import { type AgentContext, type AgentParts, agentContext } from './agent-context.ts'
import { followNotices, noticeLifeMs } from './follow-notices.ts'

export type Agents = {
  context: AgentContext
  /** Writes everything that is only remembered so far. */
  flush: () => Promise<void>
  /** Records what was taken in, ends the background work and writes what is left. */
  stop: () => Promise<void>
}

const noticesEveryMs = 500
const presenceEveryMs = 10_000
/** Shorter than an accelerated poll, so that a device which moves to another process is not asked the same again. */
const runTimesEveryMs = 3_000
const snapshotTimesEveryMs = 10_000
const purgeEveryMs = 300_000
const forgetEveryMs = 12 * hourMs

/** Starts what serves agents in this process: its memory of devices, and the work that keeps it true and written. */
export async function startAgents(parts: AgentParts): Promise<Agents> {
  const context = agentContext(parts)
  const { db, clock, isTrial, log, presence, registry, runTimes, snapshotTimes } = context
  if (!isTrial) await endLinksByNodeKey(db)
  const follower = followNotices(db, () => Date.parse(clock()), {
    onNotice: registry.takeNotice,
    onGap: registry.distrustAll,
  })
  const endHints = onAgentNotice(registry.takeNotice)
  await follower.poll()
  const purge = () => purgeAgentNotices(db, new Date(Date.parse(clock()) - noticeLifeMs).toISOString())
  const works = [
    later(noticesEveryMs, follower.poll, report('could not read notices')),
    later(presenceEveryMs, () => presence.flush(db), report('could not write the last contacts of devices')),
    later(runTimesEveryMs, () => runTimes.flush(db), report('could not write the times of runs')),
    later(snapshotTimesEveryMs, () => snapshotTimes.flush(db), report('could not write the times of snapshots')),
    later(purgeEveryMs, purge, report('could not remove old notices')),
    later(forgetEveryMs, async () => registry.forgetUnused(), report('could not drop devices from memory')),
  ]

  function report(what: string) {
    return (error: unknown) => log.warn({ err: error }, what)
  }

  async function flush(): Promise<void> {
    await presence.flush(db)
    await runTimes.flush(db)
    await snapshotTimes.flush(db)
  }

  async function stop(): Promise<void> {
    endHints()
    await context.enrolling.stop()
    await context.recorder.settled()
    await Promise.all(works.map((work) => work.stop()))
    await flush().catch(report('could not write what was buffered about devices before the stop'))
  }

  return { context, flush, stop }
}

/** At the start there is nothing to do yet. */
const later = (everyMs: number, work: () => Promise<void>, onError: (error: Error) => void): Repetition =>
  repeat(everyMs, work, onError, { isFirstLater: true })
