import type { SettingsChange } from '@muster/contract/console-settings.ts'
import { api } from '../api/api.ts'
import { sessionQuery } from '../api/session.ts'
import { settingFactsQuery } from '../api/setting-facts.ts'
import { useAction } from '../components/use-action.ts'

/** Chooses for the organization; whoever does proves who they are. */
export const useSettings = (said: string, onDone: () => void) =>
  useAction({
    act: (change: SettingsChange) => api('updateSettings', { body: change }),
    refresh: [settingFactsQuery.queryKey, sessionQuery.queryKey],
    said: () => said,
    onDone,
    hasForm: true,
  })
