import { Button } from '@mantine/core'
import { useMay } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { Icon } from '../components/icon.tsx'
import { type Refreshed, refreshChecks } from './refresh-checks.ts'

/** Has the failing checks of the device run again; R does as well. */
export function RefreshButton({ deviceId }: { deviceId: string }) {
  const mayRefresh = useMay('refresh_check')
  const { mutate, isPending } = useAction<void, Refreshed>({
    act: () => refreshChecks([deviceId]),
    said: ({ asked }) =>
      asked === 0 ? 'No check is failing, so none runs again' : `${asked} failing checks run at the next check-in`,
  })
  if (!mayRefresh) return null
  return (
    <Button leftSection={<Icon name="refresh" size={14} />} loading={isPending} data-press="r" onClick={() => mutate()}>
      Refresh failing checks <kbd>R</kbd>
    </Button>
  )
}
