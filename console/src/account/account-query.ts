import type { SignInState } from '@muster/contract/console.ts'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../api/request.ts'

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => request<SignInState>('/session/account', { signal }),
})
