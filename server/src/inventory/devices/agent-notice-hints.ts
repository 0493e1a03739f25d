type OnNotice = (organizationId: string, deviceId: string | null) => void

const listeners = new Set<OnNotice>()

/**
 * Calls back at once after this process has committed a notice, before its cause hears of the commit. Other
 * processes find the notice by polling. Returns what ends it.
 */
export function onAgentNotice(listener: OnNotice): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function hintAgentNotice(organizationId: string, deviceId: string | null): void {
  for (const listener of listeners) listener(organizationId, deviceId)
}
