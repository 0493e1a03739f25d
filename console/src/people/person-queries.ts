import type { PersonViewFilter } from '@muster/contract/console-records.ts'
import { query } from '../api/query.ts'
import { given, readAfter, readChoice, readId, readText, sentenceOf } from '../components/read-filters.ts'

export const deviceChoices = { some: 'Has a device', blocked: 'Has a blocked device', none: 'Has no device' } as const

/** What stands in the address of the list. */
export type PersonFilters = {
  readonly q?: string
  readonly devices?: keyof typeof deviceChoices
  readonly group?: string
  readonly after?: string
}

export const readPersonFilters = (raw: Readonly<Record<string, unknown>>): PersonFilters =>
  given({
    q: readText(raw, 'q'),
    devices: readChoice(raw, 'devices', ['some', 'blocked', 'none'] as const),
    group: readId(raw, 'group'),
    ...readAfter(raw),
  })

export const personFiltersInWords = ({ q, devices, group }: PersonFilters): string =>
  sentenceOf([
    q && `name or e-mail contains “${q}”`,
    devices && { some: 'has a device', blocked: 'has a blocked device', none: 'has no device' }[devices],
    group && `is in group ${group}`,
  ])

export const personFilterOf = (filters: PersonFilters, status: 'active' | 'deprovisioned'): PersonViewFilter =>
  given({ status, search: filters.q, devices: filters.devices, group_id: filters.group }) as PersonViewFilter

export const personViewsQuery = (filter: PersonViewFilter, after?: string, per_page = 50) =>
  query('listPersonViews', { query: { ...filter, per_page, cursor: after } }, { pace: 'slow' })

export const personQuery = (id: string | undefined) =>
  query('getPerson', { params: { id: id ?? '' } }, { enabled: id !== undefined })

/** Whether the person was deprovisioned, and who decides that. */
export const personDetailQuery = (id: string) => query('getPersonView', { params: { id } }, { pace: 'slow' })
