export type FieldFault = { readonly field: string; readonly message: string }

type Facts = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly faults: readonly FieldFault[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
}

/** What the server refused, in its own words; status 0 when it was not reached. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly faults: readonly FieldFault[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(facts: Facts) {
    super(facts.message)
    this.name = 'ApiError'
    this.status = facts.status
    this.code = facts.code
    this.faults = facts.faults
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
  }
}

export const unreached = (): ApiError =>
  new ApiError({
    status: 0,
    code: 'unreached',
    message: 'The server did not answer. Check your connection.',
    faults: [],
    requestId: undefined,
    retryAfterSeconds: undefined,
  })

export async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => undefined)) as
    | { error?: unknown; message?: unknown; errors?: readonly FieldFault[] }
    | undefined
  const retryAfter = Number(response.headers.get('retry-after'))
  return new ApiError({
    status: response.status,
    code: typeof body?.error === 'string' ? body.error : 'unknown',
    message: typeof body?.message === 'string' ? body.message : `The server answered ${response.status}.`,
    faults: Array.isArray(body?.errors) ? body.errors : [],
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfter > 0 ? retryAfter : undefined,
  })
}
