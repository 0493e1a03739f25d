import type { SettingsChange } from '@muster/contract/console-settings.ts'
import { api } from '../api/api.ts'
import { useAction } from '../components/use-action.ts'

/** Chooses for the organization; whoever does proves who they are. */
export const useSettings = (said: string, onDone: () => void) =>
  useAction({
    act: (change: SettingsChange) => api('updateSettings', { body: change }),
    refresh: ['getSettingFacts', 'session'],
    said: () => said,
    onDone,
    hasForm: true,
  })
