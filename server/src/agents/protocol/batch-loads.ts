type Waiting<Loaded> = { resolve: (loaded: Loaded | undefined) => void; reject: (error: unknown) => void }
type Asked<Loaded> = { hash: Buffer; waiting: Waiting<Loaded>[] }

const maxAtOnce = 200

/**
 * Loads by hash, everything that is asked for while one load is under way together in the next: after a restart a
 * whole fleet is asked for within a minute. `load` answers by the hash in hex.
 */
export function batchLoads<Loaded>(
  load: (hashes: readonly Buffer[]) => Promise<ReadonlyMap<string, Loaded>>,
): (hash: Buffer) => Promise<Loaded | undefined> {
  const asked = new Map<string, Asked<Loaded>>()
  let isUnderWay = false

  function run(): void {
    const batch = [...asked].slice(0, maxAtOnce)
    for (const [key] of batch) asked.delete(key)
    void settle(batch).finally(() => {
      isUnderWay = asked.size > 0
      if (isUnderWay) run()
    })
  }

  async function settle(batch: readonly [string, Asked<Loaded>][]): Promise<void> {
    try {
      const found = await load(batch.map(([, { hash }]) => hash))
      for (const [key, { waiting }] of batch) for (const { resolve } of waiting) resolve(found.get(key))
    } catch (error) {
      for (const [, { waiting }] of batch) for (const { reject } of waiting) reject(error)
    }
  }

  return (hash) =>
    new Promise((resolve, reject) => {
      const key = hash.toString('hex')
      const same = asked.get(key)
      if (same) same.waiting.push({ resolve, reject })
      else asked.set(key, { hash, waiting: [{ resolve, reject }] })
      if (isUnderWay) return
      isUnderWay = true
      // After the sockets of this turn of the event loop have been read.
      setImmediate(run)
    })
}
