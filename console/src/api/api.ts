import { addresses } from 'virtual:operations'
import type {
  AnswerOf,
  CountedListName,
  CsvListName,
  FileOperationName,
  InputOf,
  OperationName,
} from '@muster/contract/operations/all-operations.ts'
import type { RowCount } from '@muster/contract/pagination.ts'
import { request } from './request.ts'

type Sent<Name extends OperationName> = InputOf<Name> & { readonly signal?: AbortSignal }
type Arguments<Input> = Partial<Input> extends Input ? [input?: Input] : [input: Input]
type Address = {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
}

/** Calls an operation by its name; a refusal is an ApiError. */
export function api<Name extends Exclude<OperationName, FileOperationName>>(
  name: Name,
  ...[input = {} as Sent<Name>]: Arguments<Sent<Name>>
): Promise<AnswerOf<Name>> {
  const { body, signal, ...place } = input as Address & { body?: unknown; signal?: AbortSignal }
  const { method, path } = locate(name, place)
  return request<AnswerOf<Name>>(path, { method, body, ...(signal && { signal }) })
}

/** Where the browser itself goes: for links, files and events. */
export const addressOf = <Name extends OperationName>(name: Name, ...[input]: Arguments<InputOf<Name>>): string =>
  `/console/api${locate(name, input ?? {}).path}`

/** Where the browser goes for all records of a list as a CSV file. */
export function csvAddressOf<Name extends CsvListName>(name: Name, ...[input]: Arguments<InputOf<Name>>): string {
  const { query, ...place }: Address = input ?? {}
  return `/console/api${locate(name, { ...place, query: { ...query, format: 'csv' } }).path}`
}

/** How many records a list has; a refusal is an ApiError. */
export function countOf<Name extends CountedListName>(
  name: Name,
  ...[input]: Arguments<Sent<Name>>
): Promise<RowCount> {
  const { query, signal, ...place }: Address & { signal?: AbortSignal } = input ?? {}
  const { path } = locate(name, { ...place, query: { ...query, count: true } })
  return request<RowCount>(path, { ...(signal && { signal }) })
}

/** Reads the file that an operation answers; a refusal is an ApiError. */
export const readFile = <Name extends FileOperationName>(
  name: Name,
  ...[input]: Arguments<InputOf<Name>>
): Promise<Blob> => request<Blob>(locate(name, input ?? {}).path, { answer: 'file' })

/** What is undefined or blank is left out of the query. */
function locate(name: OperationName, { params = {}, query = {} }: Address) {
  const [method = 'GET', path = ''] = (addresses[name]?.split(' ') ?? []) as [
    'GET' | 'POST' | 'PATCH' | 'DELETE',
    string,
  ]
  const filled = path.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(params[param] ?? ''))
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([field, value]) => [field, String(value)])).toString()
  return { method, path: search === '' ? filled : `${filled}?${search}` }
}
