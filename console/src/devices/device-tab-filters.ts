import { given, readAfter, readChoice, readText } from '../components/read-filters.ts'

type Raw = Readonly<Record<string, unknown>>

type AfterFilter = { readonly after?: string }

export type IssueFilters = AfterFilter & { readonly show?: 'resolved' | 'all' }

export const readDeviceIssueFilters = (raw: Raw): IssueFilters =>
  given({ show: readChoice(raw, 'show', ['resolved', 'all'] as const), ...readAfter(raw) })

export type InventoryFilters = AfterFilter & { readonly table?: string }

export const readInventoryFilters = (raw: Raw): InventoryFilters =>
  given({ table: readText(raw, 'table'), ...readAfter(raw) })
