import { setImmediate as nextTurn } from 'node:timers/promises'

const heldMs = 10

/**
 * For long work on the event loop: what it returns is awaited between pieces of the work, and gives everyone else a turn
 * once the work has had 10 ms.
 */
export function giveTurns(): () => Promise<void> | undefined {
  let sinceMs = performance.now()
  return () => {
    if (performance.now() - sinceMs < heldMs) return undefined
    return nextTurn().then(() => {
      sinceMs = performance.now()
    })
  }
}
