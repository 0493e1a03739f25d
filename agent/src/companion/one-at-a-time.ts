/**
 * Runs the work one at a time. Those who ask while it runs share the next run, since the present one may have looked before they came:
 * whoever asks often starts no more than one after the other.
 */
export function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined

  function begin(): Promise<T> {
    const run = work().finally(() => {
      running = undefined
    })
    running = run
    return run
  }

  return () => {
    if (next) return next
    if (!running) return begin()
    next = running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }
}
