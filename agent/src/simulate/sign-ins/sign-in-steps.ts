import { createLatencies, type Latencies, type LatencySummary } from '../latencies.ts'

export type SignInSteps = ReturnType<typeof signInSteps>

/** The times of the steps of sign-ins, by name, in the order in which each step came first. */
export function signInSteps() {
  const known = new Map<string, Latencies>()

  function of(name: string): Latencies {
    const latencies = known.get(name) ?? createLatencies()
    known.set(name, latencies)
    return latencies
  }

  return {
    async time<T>(name: string, work: () => Promise<T>): Promise<T> {
      const beganAt = performance.now()
      const result = await work()
      of(name).record(performance.now() - beganAt)
      return result
    },
    summaries: (): Record<string, LatencySummary> =>
      Object.fromEntries([...known].map(([name, latencies]) => [name, latencies.summary()])),
  }
}
