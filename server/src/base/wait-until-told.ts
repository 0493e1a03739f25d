/**
 * Holds a request: resolves once `listen` tells of news, `seconds` are over, or `signal` aborts. `listen` returns what ends
 * the listening.
 */
export function waitUntilTold(
  { seconds, signal }: { seconds: number; signal: AbortSignal },
  listen: (tell: () => void) => () => void,
): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(end, seconds * 1000)
    const ignore = listen(end)
    signal.addEventListener('abort', end)

    function end(): void {
      clearTimeout(timer)
      ignore()
      signal.removeEventListener('abort', end)
      resolve()
    }
  })
}
