import type { ConsolePreferences, ConsolePreferencesChange } from '@muster/contract/console-preferences.ts'
import { queryClient } from './query-client.ts'
import { request } from './request.ts'
import { sessionQuery, useSession } from './session.ts'
import { type Action, useAction } from './use-action.ts'

const asItComes: ConsolePreferences = { single_keys: true, device_columns: null }

/** How who is signed in likes the console, in every browser. */
export const usePreferences = (): ConsolePreferences => useSession()?.preferences ?? asItComes

/** Whether single keys do something. */
export const areLettersOn = (): boolean =>
  (queryClient.getQueryData(sessionQuery.queryKey)?.preferences ?? asItComes).single_keys

const show = (preferences: ConsolePreferences) =>
  queryClient.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, preferences })

/** Shown at once, and as it was when it could not be kept. */
export function useChangePreferences(): Action<ConsolePreferencesChange> {
  return useAction<ConsolePreferencesChange, ConsolePreferences>({
    act: async (change) => {
      const before = queryClient.getQueryData(sessionQuery.queryKey)?.preferences
      if (before) show({ ...before, ...change })
      try {
        return await request<ConsolePreferences>('/session/preferences', { method: 'PATCH', body: change })
      } catch (error) {
        if (before) show(before)
        throw error
      }
    },
    onDone: show,
  })
}
