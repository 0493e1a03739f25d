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
    repeat(follower.poll, noticesEveryMs, report('could not read notices')),
    repeat(() => presence.flush(db), presenceEveryMs, report('could not write the last contacts of devices')),
    repeat(() => runTimes.flush(db), runTimesEveryMs, report('could not write the times of runs')),
    repeat(() => snapshotTimes.flush(db), snapshotTimesEveryMs, report('could not write the times of snapshots')),
    repeat(purge, purgeEveryMs, report('could not remove old notices')),
    repeat(async () => registry.forgetUnused(), forgetEveryMs, report('could not drop devices from memory')),
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
    await Promise.all(works.map((end) => end()))
    await flush().catch(report('could not write what was buffered about devices before the stop'))
  }

  return { context, flush, stop }
}

/** Runs `work` again and again with a pause in between; returns what ends it and waits for the run under way. */
function repeat(work: () => Promise<void>, pauseMs: number, onError: (error: unknown) => void): () => Promise<void> {
  let isEnded = false
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout

  function schedule(): void {
    timer = setTimeout(() => {
      running = work()
        .catch(onError)
        .finally(() => {
          if (!isEnded) schedule()
        })
    }, pauseMs).unref()
  }

  schedule()
  return () => {
    isEnded = true
    clearTimeout(timer)
    return running
  }
}
