/** Keeps values by name in memory, the latest `max` of them. */
export function keepLatest<Value>(max: number) {
  const kept = new Map<string, Value>()
  return {
    get: (name: string): Value | undefined => kept.get(name),
    set(name: string, value: Value): void {
      kept.delete(name)
      kept.set(name, value)
      const [oldest] = kept.keys()
      if (kept.size > max && oldest !== undefined) kept.delete(oldest)
    },
    /** The value, which is forgotten. */
    take(name: string): Value | undefined {
      const value = kept.get(name)
      kept.delete(name)
      return value
    },
  }
}
