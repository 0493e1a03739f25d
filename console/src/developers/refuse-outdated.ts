import type { QueryClient } from '@tanstack/react-query'

type Reading<Record> = {
  readonly queryKey: readonly unknown[]
  readonly queryFn?: unknown
  readonly isStill: (record: Record) => boolean
}

/** Reads the record again before it is saved; fails where someone else has changed it, which the form then shows. */
export async function refuseOutdated<Record>(
  client: QueryClient,
  { isStill, ...query }: Reading<Record>,
): Promise<void> {
  const now = await client.fetchQuery<Record>({ ...(query as { queryKey: readonly unknown[] }), staleTime: 0 })
  if (isStill(now)) return
  throw new Error('Someone else changed this in the meantime. Review their change above, then save again.')
}
