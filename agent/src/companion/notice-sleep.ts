const tickMs = 5_000
/** Above what a busy machine, or a clock that is set right by seconds, makes of a tick. */
const sleptMs = 20_000

type Watch = {
  onWake: () => void
  /** Milliseconds, of a clock that continues in a sleep: monotonic ones stand still on some systems. */
  now?: () => number
  /** 5 s but in tests. */
  everyMs?: number
}

/**
 * Does the work, and calls `onWake` each time the device has slept meanwhile. A clock that is set forward looks the same, which does no
 * harm.
 */
export async function noticeSleep<T>(
  work: Promise<T>,
  { onWake, now = Date.now, everyMs = tickMs }: Watch,
): Promise<T> {
  let lastMs = now()
  const timer = setInterval(() => {
    const sinceMs = now() - lastMs
    lastMs += sinceMs
    if (sinceMs - everyMs >= sleptMs) onWake()
  }, everyMs)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
