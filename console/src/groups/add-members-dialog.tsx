import { Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/api.ts'
import './groups.css'
import { FormFault } from '../components/form-fault.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { personViewsQuery } from '../people/person-queries.ts'
import { devicesFoundQuery } from './group-queries.ts'

type Kind = 'devices' | 'people'
type Parts = { readonly kind: Kind; readonly groupId: string; readonly groupName: string; readonly onClose: () => void }
type Candidate = { readonly id: string; readonly name: string; readonly second: string }

const maxFound = 25

function useCandidates(kind: Kind, q: string) {
  const search = q === '' ? {} : { search: q }
  const devices = useQuery({ ...devicesFoundQuery(search, undefined, maxFound), enabled: kind === 'devices' })
  const people = useQuery({ ...personViewsQuery(search, undefined, maxFound), enabled: kind === 'people' })
  const found: readonly Candidate[] | undefined =
    kind === 'people'
      ? people.data?.data.map(({ id, name, email }) => ({ id, name, second: email }))
      : devices.data?.data.map(({ id, name, owner }) => ({ id, name, second: owner?.name ?? 'Not registered' }))
  return { found, query: kind === 'people' ? people : devices }
}

/** Who or what is to be in a group: searched for, ticked, added all at once. */
export function AddMembersDialog({ kind, groupId, groupName, onClose }: Parts) {
  const [q, setQ] = useState('')
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map())
  const { found, query } = useCandidates(kind, q)
  const ids = [...chosen.keys()]
  const noun = kind === 'devices' ? (ids.length === 1 ? 'device' : 'devices') : ids.length === 1 ? 'person' : 'people'
  const add = useAction({
    act: async (): Promise<unknown> =>
      kind === 'devices'
        ? api('addDeviceGroupMembers', { params: { deviceGroupId: groupId }, body: { device_ids: ids } })
        : api('addPersonGroupMembers', { params: { groupId }, body: { person_ids: ids } }),
    refresh: ['groups', kind],
    said: () => `${ids.length} ${noun} added to ${groupName}`,
    onDone: onClose,
    hasForm: true,
  })
  const toggle = ({ id, name }: Candidate) => {
    const changed = new Map(chosen)
    if (!changed.delete(id)) changed.set(id, name)
    setChosen(changed)
  }
  return (
    <Modal opened onClose={onClose} title={`Add ${kind} to ${groupName}`} withCloseButton={false}>
      <form
        className="confirm"
        onSubmit={(event) => {
          event.preventDefault()
          if (ids.length > 0) add.mutate()
        }}
      >
        <SearchBox
          value={q}
          placeholder={kind === 'devices' ? 'Name, owner or serial' : 'Name or e-mail'}
          onChange={setQ}
        />
        <LoadFailure what={kind === 'devices' ? 'Devices' : 'People'} query={query} />
        <ul className="candidates" aria-label={kind === 'devices' ? 'Devices found' : 'People found'}>
          {found?.map((candidate) => (
            <li key={candidate.id}>
              <label className="candidate">
                <input type="checkbox" checked={chosen.has(candidate.id)} onChange={() => toggle(candidate)} />
                <span className="medium ellipsis">{visibleText(candidate.name)}</span>
                <span className="secondary small ellipsis">{visibleText(candidate.second)}</span>
              </label>
            </li>
          ))}
          {found?.length === 0 && <li className="secondary">No results.</li>}
        </ul>
        {found?.length === maxFound && <p className="small faint">The first {maxFound}. Search for others.</p>}
        <FormFault error={add.faultBeside} />
        <div className="dialog-ends">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" disabled={ids.length === 0} loading={add.isPending}>
            {ids.length === 0 ? `Add ${kind}` : `Add ${ids.length} ${noun}`}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
