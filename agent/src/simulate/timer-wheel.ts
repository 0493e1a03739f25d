/**
 * Due times of up to millions of events without a timer each: a hashed wheel of singly linked lists in typed arrays.
 * An event is an integer below `capacity` and is due at most once at a time.
 */
export type TimerWheel = {
  schedule: (event: number, dueMs: number) => void
  isScheduled: (event: number) => boolean
  /** Calls back for each event due by then, a slot at a time, with the moment it was due. */
  advance: (nowMs: number, fire: (event: number, dueMs: number) => void) => void
}

const none = -1

export function createTimerWheel(capacity: number, slotMs: number, startMs: number, slotCount = 8192): TimerWheel {
  const firstOfSlot = new Int32Array(slotCount).fill(none)
  const nextOf = new Int32Array(capacity).fill(none)
  const dueAt = new Float64Array(capacity).fill(Number.NaN)
  let currentSlot = 0

  const slotOf = (dueMs: number) => Math.max(currentSlot, Math.floor((dueMs - startMs) / slotMs))

  function link(event: number) {
    const place = slotOf(dueAt[event] ?? 0) % slotCount
    nextOf[event] = firstOfSlot[place] ?? none
    firstOfSlot[place] = event
  }

  function emptySlot(fire: (event: number, dueMs: number) => void) {
    const place = currentSlot % slotCount
    let event = firstOfSlot[place] ?? none
    firstOfSlot[place] = none
    currentSlot += 1
    while (event !== none) {
      const following = nextOf[event] ?? none
      const dueMs = dueAt[event] ?? 0
      // A list also holds events of later turns of the wheel; they go back to the same place.
      if (Math.floor((dueMs - startMs) / slotMs) >= currentSlot) link(event)
      else {
        dueAt[event] = Number.NaN
        fire(event, dueMs)
      }
      event = following
    }
  }

  return {
    schedule(event, dueMs) {
      if (!Number.isNaN(dueAt[event])) return
      dueAt[event] = dueMs
      link(event)
    },
    isScheduled: (event) => !Number.isNaN(dueAt[event]),
    advance(nowMs, fire) {
      const lastSlot = Math.floor((nowMs - startMs) / slotMs) - 1
      while (currentSlot <= lastSlot) emptySlot(fire)
    },
  }
}
