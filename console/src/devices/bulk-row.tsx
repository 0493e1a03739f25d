import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { useAction } from '../api/use-action.ts'
import { Icon } from '../components/icon.tsx'
import { refreshChecks } from './refresh-checks.ts'

/** What can be done with the devices that were chosen. */
export function BulkRow({ ids, onClear }: { ids: readonly string[]; onClear: () => void }) {
  const refresh = useAction({
    act: () => refreshChecks(ids),
    said: ({ asked, devices }) =>
      asked === 0 ? 'No check is failing there, so none runs again' : `${asked} checks run again on ${devices} devices`,
    onDone: onClear,
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !document.querySelector('[role="dialog"],[role="menu"]')) onClear()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [onClear])
  return (
    <div className="bulk">
      <b className="m">{ids.length} selected</b>
      <span className="sepv" />
      <Button
        leftSection={<Icon name="refresh" size={14} />}
        loading={refresh.isPending}
        onClick={() => refresh.mutate()}
      >
        Refresh failing checks
      </Button>
      <span className="grow" />
      <button type="button" className="plain" onClick={onClear}>
        Clear <kbd>Esc</kbd>
      </button>
    </div>
  )
}
