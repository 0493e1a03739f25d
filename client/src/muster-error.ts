/** What the service said in refusing a request. */
export type Refusal = {
  /** A code that programs may rely on. */
  error: string
  /** A sentence for people. */
  message: string
  /** Of a 422: what is wrong, and where. */
  errors?: readonly { field: string; message: string }[]
}

/** A refused request; `code` is the service's, or `unreadable` where the answer was not one of the service. */
export class MusterError extends Error {
  override readonly name = 'MusterError'
  readonly status: number
  readonly code: string
  readonly errors: NonNullable<Refusal['errors']>
  /** To quote when asking for help. */
  readonly requestId: string | undefined

  constructor(response: Response, refusal: unknown) {
    const said = isRefusal(refusal) ? refusal : undefined
    super(said?.message ?? `The service answered ${response.status} without saying why`)
    this.status = response.status
    this.code = said?.error ?? 'unreadable'
    this.errors = said?.errors ?? []
    this.requestId = response.headers.get('x-request-id') ?? undefined
  }
}

const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'error' in value && 'message' in value
