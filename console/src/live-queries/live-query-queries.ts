import type { LiveAnswerView } from '@muster/contract/console-queries.ts'
import type { ListOf } from '@muster/contract/operations/all-operations.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { query, queryKeyOf } from '../api/query.ts'
import { given, readAfter, readText } from '../components/read-filters.ts'

export type AnswerKind = 'rows' | 'errors'

export type LiveQueryFilters = { readonly q?: string; readonly after?: string }

export const readLiveQueryFilters = (raw: Readonly<Record<string, unknown>>): LiveQueryFilters =>
  given({ q: readText(raw, 'q'), ...readAfter(raw) })

const awaitedMs = 2_000
/** Of old queries no changes are heard. */
const unheardMs = 15_000

/** Often while devices are waited for and nothing is heard of changes. */
export const liveQueryQuery = (id: string, isHeard: boolean) =>
  query(
    'getLiveQueryCampaign',
    { params: { id } },
    {
      refetchInterval: ({ state }) =>
        (state.data?.waiting_devices_count ?? 1) === 0 ? 60_000 : isHeard ? unheardMs : awaitedMs,
    },
  )

type AnswerPage = { readonly cursor: string; readonly list: ListOf<LiveAnswerView> }
type Answers = { readonly pages: readonly AnswerPage[] }
type Asked = { readonly id: string; readonly revision: number; readonly kind: AnswerKind }

const askedOf = ({ id, kind }: Asked, cursor: string) => ({
  params: { campaignId: id },
  query: { kind, per_page: 100, cursor },
})

async function readPage(of: Asked, cursor: string, signal?: AbortSignal): Promise<AnswerPage> {
  const asked = askedOf(of, cursor)
  return { cursor, list: await api('listLiveAnswers', { ...asked, ...(signal && { signal }) }) }
}

/** Answers stand in the order in which they came: new ones can only be on the last page, which alone is read again. */
export const answersQuery = (asked: Asked) =>
  queryOptions<Answers>({
    queryKey: [...queryKeyOf('listLiveAnswers', askedOf(asked, '')), asked.revision],
    queryFn: async ({ client, queryKey, signal }) => {
      const known = client.getQueryData<Answers>(queryKey)?.pages ?? []
      const last = await readPage(asked, known.at(-1)?.cursor ?? '', signal)
      return { pages: [...known.slice(0, -1), last] }
    },
  })

/** Reads the page that follows those that are known. */
export async function readMoreAnswers(client: QueryClient, asked: Asked): Promise<void> {
  const { queryKey } = answersQuery(asked)
  const next = client.getQueryData<Answers>(queryKey)?.pages.at(-1)?.list.pagination.next_cursor ?? ''
  if (next === '') return
  const page = await readPage(asked, next)
  client.setQueryData<Answers>(queryKey, (known) => {
    const pages = (known?.pages ?? []).filter(({ cursor }) => cursor !== next)
    return { pages: [...pages, page] }
  })
}

/** The rows of an answer beyond those that its list has, up to so many. */
export async function readOtherRows(
  id: string,
  answer: LiveAnswerView,
  most: number,
): Promise<LiveAnswerView['results']> {
  const rows: LiveAnswerView['results'] = []
  const params = { liveQueryCampaignId: id, resultId: answer.id }
  for (let cursor = ''; ; ) {
    const { data, pagination } = await api('listLiveQueryRows', { params, query: { per_page: 100, cursor } })
    // Parts begin where those before them ended.
    rows.push(...data.filter((part) => Number(part.id) > answer.results.length).flatMap(({ results }) => results))
    cursor = pagination.next_cursor
    if (cursor === '' || rows.length >= most) return rows.slice(0, most)
  }
}
