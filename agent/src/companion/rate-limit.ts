/** Says whether one more in this second is too many. */
export function rateLimit(perSecond: number): () => boolean {
  let startedAtMs = 0
  let taken = 0
  return () => {
    const nowMs = performance.now()
    if (nowMs - startedAtMs >= 1000) {
      startedAtMs = nowMs
      taken = 0
    }
    taken += 1
    return taken > perSecond
  }
}
