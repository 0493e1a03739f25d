import { Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { api } from '../api/api.ts'
import { deviceGroupsQuery } from '../checks/check-queries.ts'
import { FormFault } from '../components/form-fault.tsx'
import { LoadFailure } from '../components/notices.tsx'
import type { Selection } from '../components/selection.ts'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { chosenIds, type Walk } from './chosen-ids.ts'
import type { DeviceFilters } from './device-filters.ts'

type Parts = {
  readonly selection: Selection
  readonly filters: DeviceFilters
  /** How many are selected. */
  readonly size: number
  readonly onClose: () => void
  readonly onDone: () => void
}

const maxAtOnce = 500
const countOf = (size: number): string => (size === 1 ? '1 device' : `${size.toLocaleString('en')} devices`)

type Added = { readonly added: number; readonly isStopped: boolean }

/** Some hundred at a time, until all are in the group or someone stops it. */
async function addAll(groupId: string, walk: Walk): Promise<Added> {
  let added = 0
  try {
    for await (const ids of chosenIds(walk, maxAtOnce)) {
      const body = { device_ids: ids }
      await api('addDeviceGroupMembers', { params: { deviceGroupId: groupId }, body, signal: walk.signal })
      added += ids.length
      walk.onProgress(added)
    }
    return { added, isStopped: false }
  } catch (error) {
    if (!walk.signal.aborted) throw error
    return { added, isStopped: true }
  }
}

/** The selected devices become members of a group; those that are in it already stay. */
export function AddToGroup({ selection, filters, size, onClose, onDone }: Parts) {
  const groups = useQuery(deviceGroupsQuery)
  const [groupId, setGroupId] = useState('')
  const [done, setDone] = useState(0)
  const stopping = useRef<AbortController>(undefined)
  useEffect(() => () => stopping.current?.abort(), [])
  const chosen = groups.data?.find(({ id }) => id === groupId)
  const add = useAction<void, Added>({
    act: () => {
      const stop = new AbortController()
      stopping.current = stop
      return addAll(groupId, { selection, filters, signal: stop.signal, onProgress: setDone })
    },
    refresh: ['devices', 'groups', 'checks'],
    said: ({ added, isStopped }) =>
      `${isStopped ? 'Stopped; ' : ''}${countOf(added)} added to ${visibleText(chosen?.name ?? 'the group')}`,
    onDone: ({ isStopped }) => {
      if (isStopped) return
      onClose()
      onDone()
    },
    hasForm: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (groupId !== '') add.mutate()
  }
  return (
    <Modal opened onClose={onClose} title={`Add ${countOf(size)} to a group`} withCloseButton={false}>
      <form className="confirm" onSubmit={submit}>
        <LoadFailure what="Groups" query={groups} />
        <label className="stack">
          <span className="medium">Group</span>
          <select
            className="select"
            value={groupId}
            onChange={(event) => setGroupId(event.currentTarget.value)}
            data-autofocus
          >
            <option value="">{groups.data?.length === 0 ? 'There is no group yet' : 'Choose a group'}</option>
            {groups.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {visibleText(name)}
              </option>
            ))}
          </select>
        </label>
        <p className="secondary small">Checks that target the group are applied to them. Devices already in it stay.</p>
        <FormFault error={add.faultBeside} />
        <div className="dialog-ends">
          {add.isPending && size > maxAtOnce && (
            <span className="secondary tabular grow" role="status">
              {done.toLocaleString('en')} of {size.toLocaleString('en')} added
            </span>
          )}
          <Button onClick={onClose}>{add.isPending ? 'Stop' : 'Cancel'}</Button>
          <Button type="submit" variant="filled" disabled={groupId === ''} loading={add.isPending}>
            Add {countOf(size)}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
