/** What is under way of a piece of work under lease, in `performance.now` until when the lease holds. */
export type InFlight = {
  /** Aborted when the work is given up. */
  readonly signal: AbortSignal
  isValid(): boolean
  /** Begins what `next` returns until it returns nothing; begins nothing once the lease is over. */
  begin(next: () => Promise<void> | undefined): void
  extend(untilMs: number): void
  abandon(): void
  drain(): Promise<void>
}

export function trackInFlight(firstValidUntilMs: number): InFlight {
  const ending = new AbortController()
  const underWay = new Set<Promise<void>>()
  let validUntilMs = firstValidUntilMs
  const isValid = () => performance.now() < validUntilMs

  return {
    signal: ending.signal,
    isValid,
    begin(next) {
      while (!ending.signal.aborted && isValid()) {
        const begun = next()
        if (!begun) return
        const tracked = begun.finally(() => underWay.delete(tracked))
        underWay.add(tracked)
      }
    },
    extend: (untilMs) => {
      validUntilMs = untilMs
    },
    abandon: () => ending.abort(),
    async drain() {
      validUntilMs = 0
      await Promise.all(underWay)
    },
  }
}
