import { callServer } from './call-server.ts'
import { type ConfigPlan, parseConfig } from './config-plan.ts'
import { eventOf, type Fleet, scheduleIn } from './fleet.ts'
import { fractionOf } from './seeded.ts'

/** Servers spread their fleets with a few variants of one configuration; per-device texts would not be worth keeping. */
const keptPlans = 256
const retryPausesMs = [1000, 4000]
/** `config_accelerated_refresh` of our packages' flag file: the wait after a refresh that failed altogether. */
const acceleratedRefreshMs = 60_000

export function refreshConfig(fleet: Fleet, device: number, done: () => void): void {
  const event = eventOf(fleet, device, 'config')
  const body = `{"node_key":${JSON.stringify(fleet.nodeKeys[device])}}`
  callServer(fleet, device, 'config', body, ({ answer, text }) => {
    if (answer?.accepted) {
      fleet.counters.configs += 1
      fleet.failedAttempts[event] = 0
      const plan = planOf(fleet, text, answer.body)
      fleet.plans[device] = plan
      scheduleIn(fleet, device, 'config', plan.intervals.configMs)
      startPolling(fleet, device, plan)
    } else {
      const attempt = fleet.failedAttempts[event] ?? 0
      const pauseMs = retryPausesMs[attempt]
      fleet.failedAttempts[event] = pauseMs === undefined ? 0 : attempt + 1
      const refreshMs = Math.min(acceleratedRefreshMs, fleet.settings.intervals.configMs ?? acceleratedRefreshMs)
      scheduleIn(fleet, device, 'config', pauseMs ?? refreshMs)
    }
    done()
  })
}

function planOf(fleet: Fleet, text: string, body: Record<string, unknown>): ConfigPlan {
  const known = fleet.plansByText.get(text)
  if (known) return known
  const plan = parseConfig(body, fleet.settings.intervals)
  if (fleet.plansByText.size >= keptPlans) fleet.plansByText.clear()
  fleet.plansByText.set(text, plan)
  return plan
}

/** Reads begin at once, as osquery's thread does; what is scheduled or under way stays as it is. */
export function startPolling(fleet: Fleet, device: number, plan: ConfigPlan): void {
  if (!plan.isDistributedDisabled && !fleet.isBusy[eventOf(fleet, device, 'read')]) scheduleIn(fleet, device, 'read', 0)
  // Whoever waits for rounds does not want to wait for a log period first.
  const share = fleet.rounds ? 0 : fractionOf(fleet.settings.seed, device, 20)
  if (!fleet.isBusy[eventOf(fleet, device, 'log')]) scheduleIn(fleet, device, 'log', share * plan.intervals.logMs)
}
