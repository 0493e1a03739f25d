import type { AdministratorFilter, EnrollmentSecretFilter } from '@muster/contract/console-settings.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'

export type Paged<Filter> = Filter & { readonly after?: string }

export const enrollmentSecretsQuery = ({ state, after }: Paged<EnrollmentSecretFilter>) =>
  queryOptions({
    queryKey: ['settings', 'enrollment_secrets', state, after],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = { per_page: 25, state, cursor: after }
      return api('listEnrollmentSecretViews', { query, signal })
    },
  })

export const scimTokensQuery = (after: string | undefined) =>
  queryOptions({
    queryKey: ['settings', 'scim_tokens', after],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api('listScimTokenViews', { query: { per_page: 25, cursor: after }, signal }),
  })

export const privacyKeysQuery = (after: string | undefined) =>
  queryOptions({
    queryKey: ['settings', 'privacy_keys', after],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api('listPrivacyKeys', { query: { per_page: 25, cursor: after }, signal }),
  })

export const administratorsQuery = ({ search, access, factor, after }: Paged<AdministratorFilter>) =>
  queryOptions({
    queryKey: ['settings', 'administrators', search, access, factor, after],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = { per_page: 50, search, access, factor, cursor: after }
      return api('listAdministratorViews', { query, signal })
    },
  })
