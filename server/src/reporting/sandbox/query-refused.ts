/** SQL that may not run, or that failed: the message is a sentence for its author and reveals nothing internal. */
export class QueryRefused extends Error {
  override readonly name = 'QueryRefused'
}

export function refuse(message: string): never {
  throw new QueryRefused(message)
}
