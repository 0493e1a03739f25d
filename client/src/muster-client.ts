import createFetchClient, { type Client } from 'openapi-fetch'
import type { paths as Paths2023 } from './generated/2023-05-26.ts'
import type { paths as Paths2026 } from './generated/2026-04-07.ts'
import { MusterError } from './muster-error.ts'
import { type Retries, retryingFetch } from './retrying-fetch.ts'

export type PathsByVersion = { '2026-04-07': Paths2026; '2023-05-26': Paths2023 }
export type ApiVersion = keyof PathsByVersion

export type MusterClientOptions<Version extends ApiVersion> = {
  /** Where the service is, such as `https://muster.example.com`. */
  baseUrl: string
  apiKey: string
  /** Every request names the version, so that answers stay the same; the latest unless told otherwise. */
  version?: Version
  retries?: Retries
  fetch?: (request: Request) => Promise<Response>
}

export type MusterClient<Version extends ApiVersion = '2026-04-07'> = Client<PathsByVersion[Version]>

/**
 * A client whose paths, parameters, bodies and answers are typed by the API's own document. A refused request throws
 * MusterError; one that was refused for coming too often is sent again when it may be.
 */
export function createMusterClient<Version extends ApiVersion = '2026-04-07'>(
  options: MusterClientOptions<Version>,
): MusterClient<Version> {
  const { baseUrl, apiKey, version = '2026-04-07', retries, fetch = globalThis.fetch } = options
  const client = createFetchClient<PathsByVersion[Version]>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { authorization: `Bearer ${apiKey}`, 'x-service-api-version': version },
    fetch: retryingFetch(fetch, retries),
  })
  client.use({
    async onResponse({ response }) {
      if (response.ok) return
      throw new MusterError(response, await response.json().catch(() => undefined))
    },
  })
  return client
}
