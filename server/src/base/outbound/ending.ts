/** When an attempt is over whatever happens: at its deadline, or when its caller gives it up. */
export type Ending = {
  isOver: boolean
  /** By the deadline, and not by the caller. */
  isLate: boolean
  /** Called once it is over; set by the one caller that waits. */
  onOver: (() => void) | undefined
  clear(): void
}

/** One listener a signal, however many attempts it ends: listeners of their own cost more than all the rest of this. */
const endedBy = new WeakMap<AbortSignal, Set<() => void>>()

function listenersOf(signal: AbortSignal): Set<() => void> {
  const known = endedBy.get(signal)
  if (known) return known
  const listeners = new Set<() => void>()
  endedBy.set(signal, listeners)
  signal.addEventListener('abort', () => {
    for (const listener of [...listeners]) listener()
  })
  return listeners
}

/** The deadline and the caller's signal in one. */
export function endingOf(caller: AbortSignal | undefined, deadlineMs: number): Ending {
  const giveUp = () => {
    if (ending.isOver) return
    ending.isOver = true
    ending.onOver?.()
  }
  const timer = setTimeout(() => {
    if (!ending.isOver) ending.isLate = true
    giveUp()
  }, deadlineMs)
  const listeners = caller && listenersOf(caller)
  listeners?.add(giveUp)
  const ending: Ending = {
    isOver: caller?.aborted ?? false,
    isLate: false,
    onOver: undefined,
    clear: () => {
      clearTimeout(timer)
      listeners?.delete(giveUp)
    },
  }
  return ending
}

/** What an attempt fails with that is over; why, the ending tells. */
export const overError = (): Error => new Error('The attempt is over')
