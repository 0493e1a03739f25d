import { setTimeout as pause } from 'node:timers/promises'

export type BatchWriter<Item> = {
  /** Resolves once the item is written; rejects only when the writer was closed before it could be. */
  write(item: Item): Promise<void>
  /** Gives up what cannot be written. */
  close(): void
}

type Waiting<Item> = { item: Item; resolve: () => void; reject: (error: Error) => void }

const maxAtOnce = 500
const maxPauseMs = 2_000

/** A statement costs more than a row: a batch waits for company while more comes, unless it is large or waits for long. */
const lingerMs = 5
const maxLingers = 4
const largeBatch = 64

/** Writes items in batches. A batch that fails is written again until it succeeds. */
export function batchWriter<Item>(
  writeAll: (items: readonly Item[]) => Promise<void>,
  onError: (error: unknown) => void,
): BatchWriter<Item> {
  const waiting: Waiting<Item>[] = []
  const closing = new AbortController()
  let isWriting = false

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await gather()
      const batch = waiting.splice(0, maxAtOnce)
      const isWritten = await writeUntilDone(batch.map(({ item }) => item))
      for (const { resolve, reject } of batch) {
        if (isWritten) resolve()
        else reject(new Error('Closed before it could be written'))
      }
    }
    isWriting = false
  }

  async function gather(): Promise<void> {
    for (let lingers = 0, before = 0; lingers < maxLingers; lingers += 1) {
      if (waiting.length === before || waiting.length >= largeBatch) return
      before = waiting.length
      await pause(lingerMs)
    }
  }

  async function writeUntilDone(items: readonly Item[]): Promise<boolean> {
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        await writeAll(items)
        return true
      } catch (error) {
        onError(error)
        await pause(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
        if (closing.signal.aborted) return false
      }
    }
  }

  return {
    write: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        if (isWriting) return
        isWriting = true
        void run()
      }),
    close: () => closing.abort(),
  }
}
