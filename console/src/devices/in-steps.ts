/** A device that the server refused, and why. */
export type Refused = { readonly device_id: string; readonly device_name: string | null; readonly reason: string }

/** What has become of what was asked for. */
export type Account = {
  readonly done: number
  readonly refused: readonly Refused[]
  /** Why it did not continue to the end: someone stopped it, or what failed. */
  readonly ended: 'stopped' | Error | undefined
}

export type Steps<Item> = {
  readonly batches: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>
  readonly signal: AbortSignal
  /** Called with how many were asked for so far. */
  readonly onProgress: (asked: number) => void
  readonly step: (items: readonly Item[]) => Promise<{ done: number; refused: readonly Refused[] }>
}

/** So many at a time, until all are done or someone stops it; what was done before stays done. */
export async function inSteps<Item>({ batches, signal, onProgress, step }: Steps<Item>): Promise<Account> {
  const refused: Refused[] = []
  let [done, asked] = [0, 0]
  try {
    for await (const items of batches) {
      signal.throwIfAborted()
      // Not given up halfway: what the server has begun is told of.
      const answer = await step(items)
      done += answer.done
      refused.push(...answer.refused)
      asked += items.length
      onProgress(asked)
    }
  } catch (error) {
    if (signal.aborted) return { done, refused, ended: 'stopped' }
    if (asked === 0) throw error
    return { done, refused, ended: error instanceof Error ? error : new Error(String(error)) }
  }
  return { done, refused, ended: undefined }
}
