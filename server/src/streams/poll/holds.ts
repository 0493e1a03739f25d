const mostHeld = 2

/** Counts the polls of each stream that wait for something new; the next one is answered at once. */
export function openHolds() {
  const held = new Map<string, number>()
  return {
    /** Takes a place and returns how to give it back; undefined when there is none. */
    enter: (stream: string): (() => void) | undefined => {
      const count = held.get(stream) ?? 0
      if (count >= mostHeld) return undefined
      held.set(stream, count + 1)
      return () => {
        const left = (held.get(stream) ?? 1) - 1
        if (left === 0) held.delete(stream)
        else held.set(stream, left)
      }
    },
  }
}
