type Cause = ErrorOptions & {
  /** Whether the fault is one of the moment, which the same SQL need not meet again a few minutes later. */
  isPassing?: boolean
}

/** SQL that may not run, or that failed: the message is a sentence for its author and reveals nothing internal. */
export class QueryRefused extends Error {
  override readonly name = 'QueryRefused'
  readonly isPassing: boolean

  constructor(message: string, { isPassing = false, ...options }: Cause = {}) {
    super(message, options)
    this.isPassing = isPassing
  }
}

export function refuse(message: string, cause?: Cause): never {
  throw new QueryRefused(message, cause)
}
