import { ApiError, errorOf, unreached } from './api-error.ts'
import { askForProof } from './step-up.ts'

type Asked = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** What is answered: JSON unless given. */
  readonly answer?: 'file'
}

type Standing = { csrfToken: string | undefined; onEnd: () => void; onFactorNeeded: () => void }

const session: Standing = { csrfToken: undefined, onEnd: () => {}, onFactorNeeded: () => {} }

/** The token that every change is sent with; it comes with the session. */
export function rememberCsrfToken(token: string | undefined): void {
  session.csrfToken = token
}

let lastInputAt = Date.now()
const idleAfterMs = 60_000
for (const kind of ['pointerdown', 'keydown', 'scroll'] as const) {
  addEventListener(kind, () => (lastInputAt = Date.now()), { capture: true, passive: true })
}

/** The page has learnt that the session is over. */
export const endOfSession = (): void => session.onEnd()

/** Called when the organization has begun to require a second factor that is not there. */
export function onFactorNeeded(listener: () => void): void {
  session.onFactorNeeded = listener
}

/** Called when the server no longer knows the session. */
export function onSessionEnd(listener: () => void): void {
  session.onEnd = listener
}

/**
 * Asks the console's side of the API; a refusal is an ApiError. `path` begins with a slash. Where the server wants a fresh
 * proof of who asks, the dialog for it opens, and the request is sent again.
 */
export async function request<Answer>(path: string, asked: Asked = {}): Promise<Answer> {
  try {
    return await send<Answer>(path, asked)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'not_signed_in' && path !== '/session') session.onEnd()
    if (error.code === 'second_factor_needed') session.onFactorNeeded()
    if (error.code === 'step_up_needed') {
      await askForProof()
      return await send<Answer>(path, asked)
    }
    if (error.code !== 'cross_site' || asked.method === undefined || asked.method === 'GET') throw error
    // The token is of a session that another tab has replaced.
    const renewed = await send<{ csrf_token: string }>('/session', {})
    rememberCsrfToken(renewed.csrf_token)
    return await send<Answer>(path, asked)
  }
}

async function send<Answer>(path: string, { method = 'GET', body, signal, answer }: Asked): Promise<Answer> {
  const headers: Record<string, string> = {}
  // A page that refreshes itself while nobody is there must not keep someone signed in.
  if (Date.now() - lastInputAt > idleAfterMs) headers['x-muster-background'] = '1'
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (method !== 'GET' && session.csrfToken !== undefined) headers['x-muster-csrf'] = session.csrfToken
  const response = await fetch(`/console/api${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw unreached()
  })
  if (!response.ok) throw await errorOf(response)
  if (answer === 'file') return (await response.blob()) as Answer
  return (response.status === 204 ? undefined : await response.json()) as Answer
}
