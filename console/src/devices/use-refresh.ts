import { type Action, useAction } from '../components/use-action.ts'
import { type Refreshed, refreshChecks } from './refresh-checks.ts'

/** Has the failing checks of one device run again. */
export const useRefresh = (deviceId: string): Action<void, Refreshed> =>
  useAction<void, Refreshed>({
    act: () => refreshChecks([deviceId]),
    said: ({ asked }) =>
      asked === 0 ? 'No checks are failing, so none run again' : `${asked} failing checks run at the next check-in`,
  })
