import { guardedFetch } from '../../base/outbound/guarded-fetch.ts'
import { codeOf } from '../../base/relying-party/oidc-failure.ts'

const maxBytes = 65_536

/** The JSON object that the server itself shows at an address. Fails with an Error that says why there is none. */
export async function readOwnDocument(url: string, answerMs = 5_000): Promise<Record<string, unknown>> {
  const get = guardedFetch({ trustedOrigin: new URL(url).origin, maxBytes })
  const response = await get(url, { signal: AbortSignal.timeout(answerMs) }).catch((error: unknown) => {
    throw new Error(`${url} ${wordsFor(error, answerMs)}`)
  })
  if (response.status !== 200) throw new Error(`${url} answers with status ${response.status}: ${howTo}`)
  const document: unknown = await response.json().catch(() => undefined)
  if (typeof document === 'object' && document !== null) return { ...document }
  throw new Error(`${url} answers with something else than JSON: ${howTo}`)
}

const howTo = 'check MUSTER_BASE_URL, and the proxy in front of Muster'

function wordsFor(error: unknown, answerMs: number): string {
  const code = codeOf(error)
  if (code === 'ECONNREFUSED') return 'is not there: start the server, or set MUSTER_BASE_URL to where it answers'
  if (error instanceof Error && error.name === 'TimeoutError')
    return `does not answer within ${answerMs / 1_000} seconds`
  return `cannot be read (${code ?? (error instanceof Error ? error.message : String(error))}): ${howTo}`
}
