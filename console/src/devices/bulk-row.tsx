import { Button } from '@mantine/core'
import type { DeviceView } from '@muster/contract/console-views.ts'
import { useEffect, useRef, useState } from 'react'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { type Selection, sizeOf } from '../components/selection.ts'
import { toast } from '../components/toasts.tsx'
import { useAction } from '../components/use-action.ts'
import { AddToGroup } from './add-to-group.tsx'
import { AssignMany } from './assign-many.tsx'
import { CopyMessages } from './copy-messages.tsx'
import type { DeviceFilters } from './device-filters.ts'
import { type Refreshed, refreshChosen } from './refresh-checks.ts'
import { UnregisterMany } from './unregister-many.tsx'
import { useOwned } from './use-owned.ts'

type Parts = {
  readonly selection: Selection
  readonly filters: DeviceFilters
  /** How many the filter finds. */
  readonly total: number
  readonly seen: ReadonlyMap<string, DeviceView>
  readonly onSelectAll: () => void
  /** Devices have left the list. */
  readonly onChanged: () => void
  readonly onClear: () => void
}

const count = (number: number): string => number.toLocaleString('en')

/** What can be done with the devices that were chosen. */
export function BulkRow(parts: Parts) {
  const { selection, filters, total, onSelectAll, onClear } = parts
  const mayRefresh = useMay('refresh_check')
  const mayGroup = useMay('manage_device_groups')
  const mayRemove = useMay('remove_devices')
  const mayUpdate = useMay('update_devices')
  const [isGrouping, setIsGrouping] = useState(false)
  const [done, setDone] = useState(0)
  const stopping = useRef<AbortController>(undefined)
  const size = sizeOf(selection, total)
  const refresh = useAction<void, Refreshed | undefined>({
    act: () => {
      setDone(0)
      const stop = new AbortController()
      stopping.current = stop
      const walk = { selection, filters, signal: stop.signal, onProgress: setDone }
      return refreshChosen(walk).catch((error: unknown) => {
        if (!stop.signal.aborted) throw error
        toast('Stopped; checks already requested run at the next check-in', 'warning')
        return undefined
      })
    },
    said: (refreshed) => (refreshed ? wordsOf(refreshed) : undefined),
    onDone: (refreshed) => refreshed && onClear(),
  })
  useEffect(() => () => stopping.current?.abort(), [])
  useClearingKey(onClear)
  return (
    <div className="bulk">
      <b className="medium tabular" role="status">
        {selection.kind === 'all' && selection.except.size === 0
          ? `All ${count(size)} that match the filter are selected`
          : `${count(size)} selected`}
      </b>
      {size < total && (
        <button type="button" className="plain underlined tabular" onClick={onSelectAll}>
          Select all {count(total)}
        </button>
      )}
      <span className="separator" />
      {mayRefresh && (
        <Button
          leftSection={<Icon name="refresh" size={14} />}
          loading={refresh.isPending}
          data-press="r"
          onClick={() => refresh.mutate()}
        >
          Refresh failing checks <kbd>R</kbd>
        </Button>
      )}
      <CopyMessages selection={selection} filters={filters} size={size} />
      {mayGroup && <Button onClick={() => setIsGrouping(true)}>Add to group…</Button>}
      {isGrouping && (
        <AddToGroup
          selection={selection}
          filters={filters}
          size={size}
          onClose={() => setIsGrouping(false)}
          onDone={onClear}
        />
      )}
      {mayUpdate && <AssignOwner {...parts} size={size} />}
      {mayRemove && <Unregister {...parts} size={size} />}
      {refresh.isPending && size > 100 && (
        <>
          <span className="secondary tabular" role="status">
            {count(Math.min(done, size))} of {count(size)} asked
          </span>
          <button type="button" className="plain underlined" onClick={() => stopping.current?.abort()}>
            Stop
          </button>
        </>
      )}
      <span className="grow" />
      <button type="button" className="plain" onClick={onClear}>
        Clear <kbd>Esc</kbd>
      </button>
    </div>
  )
}

/** Escape; heard before a dialog or a menu hears it and is gone, which it closes first. */
function useClearingKey(onClear: () => void): void {
  const clear = useRef(onClear)
  useEffect(() => {
    clear.current = onClear
  }, [onClear])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !document.querySelector('[role="dialog"],[role="menu"]')) clear.current()
    }
    addEventListener('keydown', press, { capture: true })
    return () => removeEventListener('keydown', press, { capture: true })
  }, [])
}

function AssignOwner({ selection, filters, size, onChanged, onClear }: Parts & { readonly size: number }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Assign owner…</Button>
      {isOpen && (
        <AssignMany
          selection={selection}
          filters={filters}
          size={size}
          onChanged={onChanged}
          onClose={() => setIsOpen(false)}
          onDone={onClear}
        />
      )}
    </>
  )
}

/** Of some it can be said only that nobody owns them: those are left as they are. */
function Unregister({ selection, filters, seen, size, onChanged, onClear }: Parts & { readonly size: number }) {
  // As it was at the click: the list is read again meanwhile, and has no owners left.
  const [asked, setAsked] = useState<Selection>()
  const owned = useOwned(selection, filters, seen)
  if (owned?.size === 0 && !asked) return null
  return (
    <>
      <Button className="bad" disabled={!owned} onClick={() => setAsked(owned?.selection)}>
        Unregister…
        {owned && owned.size < size && ` (${count(owned.size)} of ${count(size)})`}
      </Button>
      {asked && (
        <UnregisterMany
          selection={selection}
          owned={asked}
          filters={filters}
          onChanged={onChanged}
          onClose={() => setAsked(undefined)}
          onDone={onClear}
        />
      )}
    </>
  )
}

function wordsOf({ asked, devices }: Refreshed): string {
  if (asked === 0) return 'No checks are failing there, so none run again'
  const where = devices === 1 ? '1 device' : `${count(devices)} devices`
  return `${asked === 1 ? '1 check runs' : `${count(asked)} checks run`} again on ${where}`
}
