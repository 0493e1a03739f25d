import type {
  AdministratorFilter,
  AdministratorView,
  EnrollmentSecretFilter,
  EnrollmentSecretView,
  ScimTokenView,
  SettingFacts,
} from '@muster/contract/console-settings.ts'
import type { Package } from '@muster/contract/packages.ts'
import type { Retained } from '@muster/contract/retention.ts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import type { ListOf } from '../devices/device-queries.ts'

export const settingFactsQuery = queryOptions({
  queryKey: ['settings', 'facts'],
  queryFn: ({ signal }) => request<SettingFacts>('/views/settings', { signal }),
})

/** For how many days something is kept here; undefined until it is known. */
export const useKeptDays = (what: Retained): number | undefined =>
  useQuery(settingFactsQuery).data?.chosen[`${what}_days`]

export const packagesQuery = queryOptions({
  queryKey: ['settings', 'packages'],
  queryFn: ({ signal }) => request<ListOf<Package>>('/packages?per_page=100', { signal }),
})

export type Paged<Filter> = Filter & { readonly after?: string }

export const enrollmentSecretsQuery = ({ state, after }: Paged<EnrollmentSecretFilter>) =>
  queryOptions({
    queryKey: ['settings', 'enrollment_secrets', state, after],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = { per_page: 25, state, cursor: after }
      return request<ListOf<EnrollmentSecretView>>(withQuery('/views/enrollment_secrets', query), { signal })
    },
  })

export const scimTokensQuery = (after: string | undefined) =>
  queryOptions({
    queryKey: ['settings', 'scim_tokens', after],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      request<ListOf<ScimTokenView>>(withQuery('/views/scim_tokens', { per_page: 25, cursor: after }), { signal }),
  })

export const administratorsQuery = ({ search, access, factor, after }: Paged<AdministratorFilter>) =>
  queryOptions({
    queryKey: ['settings', 'administrators', search, access, factor, after],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = { per_page: 50, search, access, factor, cursor: after }
      return request<ListOf<AdministratorView>>(withQuery('/views/administrators', query), { signal })
    },
  })
