import { addresses } from 'virtual:operations'
import type {
  AnswerOf,
  CountedListName,
  FileOperationName,
  InputOf,
  OperationName,
} from '@muster/contract/operations/all-operations.ts'
import type { RowCount } from '@muster/contract/pagination.ts'
import { hashKey, queryOptions, type UnusedSkipTokenOptions } from '@tanstack/react-query'
import { api, countOf } from './api.ts'
import { type Asked, type AskedKey, areaOf, areasOf, keyOf, type Subject } from './areas.ts'
import { queryClient } from './query-client.ts'

/** How often what is looked at is read again: what someone watches happen, and what may be late. */
const paceMs = { watched: 5_000, soon: 15_000, usual: 30_000, slow: 60_000 } as const

type JsonOperationName = Exclude<OperationName, FileOperationName>
type Options<Answer> = UnusedSkipTokenOptions<Answer, Error, Answer, AskedKey>
type Differing<Answer> = Pick<
  Options<Answer>,
  'enabled' | 'gcTime' | 'placeholderData' | 'refetchInterval' | 'retry' | 'staleTime'
> & {
  /** Left out: it is read again when it changes. */
  readonly pace?: keyof typeof paceMs
  /** Another answer than that to the same question without it. */
  readonly apart?: string
}
type Arguments<Input, Answer> =
  Partial<Input> extends Input
    ? [input?: Input, differing?: Differing<Answer>]
    : [input: Input, differing?: Differing<Answer>]

/** The key of what is asked of an operation. */
export const queryKeyOf = (name: OperationName, input: Asked): AskedKey => keyOf(addresses[name] ?? '', name, input)

const keepPageOf =
  ([, , { params }]: AskedKey) =>
  <Page>(page: Page | undefined, before: { readonly queryKey: AskedKey } | undefined): Page | undefined =>
    hashKey([before?.queryKey[2].params]) === hashKey([params]) ? page : undefined

function reading<Answer>(
  key: AskedKey,
  read: (signal: AbortSignal) => Promise<Answer>,
  { pace, apart, ...others }: Differing<Answer>,
) {
  return queryOptions<Answer, Error, Answer, AskedKey>({
    queryKey: apart === undefined ? key : [...key, apart],
    queryFn: ({ signal }) => read(signal),
    ...(pace && { refetchInterval: paceMs[pace] }),
    ...others,
  })
}

/** What `useQuery` needs to read what an operation answers. A page of a list stays until the next of it is there. */
export function query<Name extends JsonOperationName>(
  name: Name,
  ...[input, differing]: Arguments<InputOf<Name>, AnswerOf<Name>>
) {
  const asked: Asked = input ?? {}
  const key = queryKeyOf(name, asked)
  // What an operation needs is checked where it is named; here its name is open.
  const read = (signal: AbortSignal) =>
    api(...([name, { ...asked, signal }] as unknown as Parameters<typeof api<Name>>))
  const isPaged = asked.query !== undefined && 'cursor' in asked.query
  return reading<AnswerOf<Name>>(key, read, { ...(isPaged && { placeholderData: keepPageOf(key) }), ...differing })
}

/** What `useQuery` needs to read how many records a list has. */
export function countQuery<Name extends CountedListName>(
  name: Name,
  ...[input, differing]: Arguments<InputOf<Name>, RowCount>
) {
  const asked: Asked = input ?? {}
  const read = (signal: AbortSignal) =>
    countOf(...([name, { ...asked, signal }] as unknown as Parameters<typeof countOf<Name>>))
  return reading<RowCount>([...queryKeyOf(name, asked), 'count'], read, differing ?? {})
}

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
