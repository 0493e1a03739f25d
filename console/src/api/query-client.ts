import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

/** Asking again helps where the server was not reached or is not ready, never where it has refused. */
const isPassing = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.status >= 500)

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && isPassing(error),
      throwOnError: false,
    },
  },
})
