import type { AdministratorFilter } from '@muster/contract/console-settings.ts'
import { given, readAfter, readChoice, readText, sentenceOf } from '../components/read-filters.ts'
import { accessWords } from './access-words.ts'

/** What stands in the address of the list. */
export type AdministratorFilters = {
  readonly q?: string
  readonly access?: keyof typeof accessWords
  readonly factor?: 'missing'
  readonly after?: string
}

export const readAdministratorFilters = (raw: Readonly<Record<string, unknown>>): AdministratorFilters =>
  given({
    q: readText(raw, 'q'),
    access: readChoice(raw, 'access', ['full', 'limited', 'billing_only'] as const),
    factor: readChoice(raw, 'factor', ['missing'] as const),
    ...readAfter(raw),
  })

export const administratorFilterOf = ({ q, access, factor }: AdministratorFilters): AdministratorFilter =>
  given({ search: q, access, factor }) as AdministratorFilter

export const administratorFiltersInWords = ({ q, access, factor }: AdministratorFilters): string =>
  sentenceOf([
    q && `text contains “${q}”`,
    access && `access is ${accessWords[access]}`,
    factor && 'there is no second factor',
  ])
