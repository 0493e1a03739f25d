import { api } from '../api/api.ts'
import { isChosen, type Selection } from '../components/selection.ts'
import { type DeviceFilters, filterOf } from './device-filters.ts'

export type Walk = {
  readonly filters: DeviceFilters
  readonly selection: Selection
  readonly signal: AbortSignal
  /** Called with how many devices were asked so far. */
  readonly onProgress: (done: number) => void
}

const maxPerPage = 100

/** The devices that were chosen, so many at a time; by name, an order that what is asked does not change. */
export async function* chosenIds(
  { filters, selection, signal }: Omit<Walk, 'onProgress'>,
  atOnce: number,
): AsyncGenerator<string[]> {
  if (selection.kind === 'some') return yield* parts([...selection.ids], atOnce)
  let cursor = ''
  do {
    const query = { ...filterOf(filters), sort: 'name' as const, per_page: maxPerPage, cursor }
    const page = await api('listDeviceViews', { query, signal })
    yield* parts(
      page.data.map(({ id }) => id).filter((id) => isChosen(selection, id)),
      atOnce,
    )
    cursor = page.pagination.next_cursor
  } while (cursor !== '')
}

function* parts(ids: readonly string[], size: number): Generator<string[]> {
  for (let at = 0; at < ids.length; at += size) yield ids.slice(at, at + size)
}
