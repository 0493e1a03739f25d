import type { ConsolePreferences, ConsolePreferencesChange } from '@muster/contract/console-preferences.ts'
import { useMutationState } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { queryClient } from '../api/query-client.ts'
import { sessionQuery, useSession } from '../api/session.ts'
import { type Action, useAction } from './use-action.ts'

const asItComes: ConsolePreferences = { single_keys: true, device_columns: null }

const queue = 'preferences'
const notYetKept = { mutationKey: [queue], status: 'pending' } as const

const withChanges = (kept: ConsolePreferences | undefined, changes: readonly unknown[]): ConsolePreferences =>
  Object.assign({}, kept ?? asItComes, ...changes)

/** How who is signed in likes the console, in every browser: what is kept, and what was chosen since. */
export const usePreferences = (): ConsolePreferences =>
  withChanges(
    useSession()?.preferences,
    useMutationState({ filters: notYetKept, select: ({ state }) => state.variables }),
  )

/** Whether single keys do something. */
export const areLettersOn = (): boolean =>
  withChanges(
    queryClient.getQueryData(sessionQuery.queryKey)?.preferences,
    queryClient
      .getMutationCache()
      .findAll(notYetKept)
      .map(({ state }) => state.variables),
  ).single_keys

/** Shown at once, kept in the order of the choices, and as it was when it could not be kept. */
export const useChangePreferences = (): Action<ConsolePreferencesChange> =>
  useAction<ConsolePreferencesChange, ConsolePreferences>({
    inTurn: queue,
    act: (change) => api('updatePreferences', { body: change }),
    onDone: (preferences) => {
      queryClient.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, preferences })
    },
  })
