import { addresses } from 'virtual:operations'
import type { OperationName } from '@muster/contract/operations/all-operations.ts'
import { areaOf, areasOf, type Subject } from './areas.ts'
import { queryClient } from './query-client.ts'

/** What changed: a subject with all that shows it, or the answers of one operation. */
export type Changed = Subject | OperationName

const isOperation = (changed: Changed): changed is OperationName => Object.hasOwn(addresses, changed)

const filtersOf = (changed: readonly Changed[]) =>
  changed
    .flatMap((one) => (isOperation(one) ? [[areaOf(addresses[one] ?? ''), one]] : areasOf(one).map((area) => [area])))
    .map((queryKey) => ({ queryKey }))

/** Reads again what is shown, and marks as old what is not. */
export async function refresh(...changed: readonly Changed[]): Promise<void> {
  await Promise.all(filtersOf(changed).map((filter) => queryClient.invalidateQueries(filter)))
}

/** Forgets what was read, where reading it again would fail. */
export function forget(...changed: readonly Changed[]): void {
  for (const filter of filtersOf(changed)) queryClient.removeQueries(filter)
}
