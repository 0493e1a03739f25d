/** Runs at most `most` pieces of work at a time, the others in the order in which they came. */
export function limitConcurrency(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0

  function next(): void {
    const start = waiting.shift()
    if (start) start()
    else running -= 1
  }

  return async (work) => {
    if (running < most) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      next()
    }
  }
}
