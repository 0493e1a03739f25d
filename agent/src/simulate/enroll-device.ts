import { callServer } from './call-server.ts'
import { enrollBody } from './enroll-body.ts'
import { eventOf, type Fleet, profileOf, scheduleIn } from './fleet.ts'
import { startPolling } from './refresh-config.ts'

/** osquery pauses 1, 4, 9 … seconds between attempts to enroll, at most `tls_enroll_max_interval`. */
const maxPauseMs = 600_000

export function enrollDevice(fleet: Fleet, device: number, done: () => void): void {
  const body = enrollBody(profileOf(fleet, device), fleet.settings.enrollSecret, Math.floor(fleet.startedAtMs / 1000))
  const event = eventOf(fleet, device, 'enroll')
  callServer(fleet, device, 'enroll', body, ({ answer }) => {
    const key = answer?.accepted ? (answer.body['node_key'] ?? answer.body['id']) : undefined
    if (typeof key === 'string' && key !== '') acceptKey(fleet, device, key)
    else {
      const attempt = Math.min(255, (fleet.failedAttempts[event] ?? 0) + 1)
      fleet.failedAttempts[event] = attempt
      scheduleIn(fleet, device, 'enroll', Math.min(attempt * attempt * 1000, maxPauseMs))
    }
    done()
  })
}

function acceptKey(fleet: Fleet, device: number, key: string) {
  const event = eventOf(fleet, device, 'enroll')
  fleet.failedAttempts[event] = 0
  fleet.nodeKeys[device] = key
  fleet.devicesWithKey += 1
  if (fleet.enrolledBefore[device]) fleet.counters.reEnrolled += 1
  else {
    fleet.counters.enrolled += 1
    fleet.counters.lastEnrolledMs = fleet.now()
  }
  fleet.enrolledBefore[device] = 1
  // A device that enrolls again has its configuration; what came due without a key was dropped and starts again here.
  const plan = fleet.plans[device]
  if (plan) startPolling(fleet, device, plan)
  scheduleIn(fleet, device, 'config', 0)
}
