/** A prepared statement whose columns a migration has changed. By its routine, since servers translate the message. */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery'
