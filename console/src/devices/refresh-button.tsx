import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { useMay } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { Icon } from '../components/icon.tsx'
import { areLettersOn } from '../shell/letters.ts'
import { refreshChecks } from './refresh-checks.ts'

/** Has the failing checks of the device run again; R does as well. */
export function RefreshButton({ deviceId }: { deviceId: string }) {
  const mayRefresh = useMay('refresh_check')
  const { mutate, isPending } = useAction<void, { asked: number }>({
    act: () => refreshChecks([deviceId]),
    said: ({ asked }) =>
      asked === 0 ? 'No check is failing, so none runs again' : `${asked} failing checks run at the next check-in`,
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isInField = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
      if (event.key !== 'r' || event.ctrlKey || event.metaKey || event.altKey || isInField || !mayRefresh) return
      if (areLettersOn() && !document.querySelector('[role="dialog"]')) mutate()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [mayRefresh, mutate])
  if (!mayRefresh) return null
  return (
    <Button leftSection={<Icon name="refresh" size={14} />} loading={isPending} onClick={() => mutate()}>
      Refresh failing checks <kbd>R</kbd>
    </Button>
  )
}
