/** Between two looks for unclaimed work of one organization; the holder of its work needs none. */
const everyMs = 100

/** When to look for the work of which organization: at once, and then so often at most while much is queued. */
export function claimTimes() {
  const due = new Map<string, number>()
  const last = new Map<string, number>()
  return {
    ask: (organizationId: string, nowMs: number): void => {
      if (due.has(organizationId)) return
      due.set(organizationId, Math.max(nowMs, (last.get(organizationId) ?? Number.NEGATIVE_INFINITY) + everyMs))
    },
    takeDue: (nowMs: number): string[] => {
      const taken = [...due].filter(([, atMs]) => atMs <= nowMs).map(([organizationId]) => organizationId)
      for (const organizationId of taken) {
        due.delete(organizationId)
        last.set(organizationId, nowMs)
      }
      return taken
    },
    nextMs: (): number => Math.min(...due.values()),
  }
}
