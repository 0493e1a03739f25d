import { setTimeout as pause } from 'node:timers/promises'

type Fetch = (request: Request) => Promise<Response>

export type Retries = {
  /** How often a request is sent again; 5 unless told otherwise. */
  attempts?: number
  /** The longest that one wait may be, in milliseconds; a longer one ends the trying. 120,000 unless told otherwise. */
  maximumWaitMs?: number
}

const safeMethods = new Set(['GET', 'HEAD'])

/**
 * Sends a request again after a 429, when `Retry-After` says that it will pass, and after a 502, 503 or 504 where
 * repeating can do no harm. Waiting ends at once when the request's signal aborts.
 */
export function retryingFetch(fetch: Fetch, { attempts = 5, maximumWaitMs = 120_000 }: Retries = {}): Fetch {
  return async (request) => {
    for (let attempt = 0; ; attempt += 1) {
      // A body can be read once, so each attempt but the last sends a copy.
      const response = await fetch(attempt < attempts ? request.clone() : request)
      const waitMs = waitBefore(request, response, attempt)
      if (waitMs === undefined || attempt >= attempts || waitMs > maximumWaitMs) return response
      await response.body?.cancel()
      await pause(waitMs, undefined, { signal: request.signal })
    }
  }
}

function waitBefore(request: Request, response: Response, attempt: number): number | undefined {
  const isBusy = response.status === 429
  const isDown = [502, 503, 504].includes(response.status) && safeMethods.has(request.method)
  if (!isBusy && !isDown) return undefined
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const backoffMs = 500 * 2 ** attempt
  // Clients that were refused together come back apart.
  const jitterMs = Math.random() * 250
  return (Number.isFinite(seconds) ? seconds * 1_000 : backoffMs) + jitterMs
}
