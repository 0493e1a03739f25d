import { enrollDevice } from './enroll-device.ts'
import { type EventKind, eventKinds, type Fleet, scheduleIn } from './fleet.ts'
import { pollQueries } from './poll-queries.ts'
import { refreshConfig } from './refresh-config.ts'
import { sendLog } from './send-log.ts'

const begin: Record<EventKind, (fleet: Fleet, device: number, done: () => void) => void> = {
  enroll: enrollDevice,
  config: refreshConfig,
  read: pollQueries,
  log: sendLog,
}

/** Spreads the fleet's start evenly: enrollment, or the first refresh of a device that has its key already. */
export function startFleet(fleet: Fleet, spreadMs: number): void {
  const { devices } = fleet.settings
  for (let device = 0; device < devices; device += 1) {
    scheduleIn(fleet, device, fleet.nodeKeys[device] ? 'config' : 'enroll', (device / devices) * spreadMs)
  }
}

/** Takes up everything that has come due, as far as connections are free; the rest waits its turn. */
export function advanceFleet(fleet: Fleet): void {
  fleet.wheel.advance(fleet.now(), (event, dueMs) => {
    fleet.isBusy[event] = 1
    fleet.dueAtOfReady[event] = dueMs
    fleet.ready.events.push(event)
  })
  startReady(fleet)
}

function startReady(fleet: Fleet) {
  if (fleet.isStarting) return
  fleet.isStarting = true
  startWhileFree(fleet)
  fleet.isStarting = false
}

function startWhileFree(fleet: Fleet) {
  const { ready, settings } = fleet
  while (!fleet.isStopping && ready.head < ready.events.length && fleet.inFlight < settings.connections) {
    const event = ready.events[ready.head] ?? 0
    ready.head += 1
    if (ready.head === 4096) {
      ready.events.splice(0, ready.head)
      ready.head = 0
    }
    startEvent(fleet, event)
  }
}

function startEvent(fleet: Fleet, event: number) {
  const { devices } = fleet.settings
  const kind = eventKinds[Math.floor(event / devices)]
  const device = event % devices
  // Without a key only enrollment can continue; accepting a key schedules the others again.
  if (!kind || (fleet.nodeKeys[device] === '') !== (kind === 'enroll')) {
    fleet.isBusy[event] = 0
    return
  }
  fleet.inFlight += 1
  fleet.counters.lag.record(fleet.now() - (fleet.dueAtOfReady[event] ?? 0))
  begin[kind](fleet, device, () => {
    fleet.inFlight -= 1
    fleet.isBusy[event] = 0
    startReady(fleet)
  })
}
