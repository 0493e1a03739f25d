/** Those who ask for the same at the same time share the work. */
export function sharedWork<Result>() {
  const running = new Map<string, Promise<Result>>()
  return (key: string, work: () => Promise<Result>): Promise<Result> => {
    const found = running.get(key)
    if (found) return found
    const started = work().finally(() => running.delete(key))
    running.set(key, started)
    return started
  }
}
