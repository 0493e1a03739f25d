import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { ConsoleSession } from '@muster/contract/console.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from './api.ts'
import { ApiError } from './api-error.ts'
import { queryClient } from './query-client.ts'
import { rememberCsrfToken } from './request.ts'

/** Who is signed in; null when nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<ConsoleSession | null> => {
    try {
      const session = await api('getSession')
      rememberCsrfToken(session.csrf_token)
      return session
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
})

export const useSession = (): ConsoleSession | null | undefined => useQuery(sessionQuery).data

/** Nothing of whoever was here before stays in the page. */
export function beginSession(session: ConsoleSession): void {
  queryClient.clear()
  rememberCsrfToken(session.csrf_token)
  queryClient.setQueryData(sessionQuery.queryKey, session)
}

/** The same person in the same session, known again: what the page shows stays. */
export function renewSession(session: ConsoleSession): void {
  rememberCsrfToken(session.csrf_token)
  queryClient.setQueryData(sessionQuery.queryKey, session)
}

/** Whether who is signed in may do something; the server decides in any case. */
export const useMay = (power: AdminPower): boolean => useSession()?.permissions.includes(power) ?? false

export function forgetSession(): void {
  rememberCsrfToken(undefined)
  queryClient.clear()
  queryClient.setQueryData(sessionQuery.queryKey, null)
}
