import { Button, Modal } from '@mantine/core'
import type { Device } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { FormFault } from '../components/form-fault.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { modeWords } from './sign-in-modes.ts'

type Mode = keyof typeof modeWords
const withGroups: Mode = 'only_registered_owner_or_group_members'

const hints: Readonly<Record<Mode, string>> = {
  only_registered_owner: 'Nobody else can sign in with this device.',
  only_registered_owner_or_group_members: 'People in the chosen groups can sign in with it too.',
  anyone: 'Anyone can sign in with this device if its state allows it.',
}

const groupsQuery = (q: string) => {
  const text = q.replace(/["\\]/g, ' ').trim()
  return query('listPersonGroups', { query: { per_page: 50, query: text === '' ? '' : `name~"${text}"` } })
}

/** Who may sign in with a registered device; undone from the toast. */
export function SignInModeDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const before = device.auth_configuration
  const groupsBefore = (before?.person_groups ?? []).map(({ id }) => id)
  const [mode, setMode] = useState<Mode>(before?.authentication_mode ?? 'only_registered_owner')
  const [groups, setGroups] = useState<readonly string[]>(groupsBefore)
  const send = (body: { authentication_mode: Mode; person_group_ids: readonly string[] }) =>
    api('updateDeviceAuthenticationMode', { params: { deviceId: device.id }, body })
  const refresh = ['devices', 'audit'] as const
  const takeBack = useAction({
    act: () =>
      send({
        authentication_mode: before?.authentication_mode ?? 'only_registered_owner',
        person_group_ids: groupsBefore,
      }),
    refresh,
    said: () => 'Undone',
  })
  const save = useAction({
    act: () => send({ authentication_mode: mode, person_group_ids: mode === withGroups ? groups : [] }),
    refresh,
    said: () => `Sign-in allowed: ${modeWords[mode].toLowerCase()}`,
    undo: () => ({ label: 'Undo', run: () => takeBack.mutate() }),
    onDone: onClose,
    hasForm: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Modal opened onClose={onClose} title="Who may sign in with this device" withCloseButton={false}>
      <form className="confirm" onSubmit={submit}>
        <fieldset className="choices">
          <legend className="hidden">Who may sign in</legend>
          {(Object.keys(modeWords) as Mode[]).map((name) => (
            <label key={name} className="choice">
              <input type="radio" name="mode" checked={mode === name} onChange={() => setMode(name)} />
              <span>
                <span className="medium block">{modeWords[name]}</span>
                <span className="small secondary">{hints[name]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {mode === withGroups && <GroupChoice chosen={groups} onChange={setGroups} />}
        <FormFault error={save.faultBeside} />
        <div className="dialog-ends">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" loading={save.isPending}>
            Change who may sign in
          </Button>
        </div>
      </form>
    </Modal>
  )
}

type ChoiceParts = { readonly chosen: readonly string[]; readonly onChange: (ids: readonly string[]) => void }

function GroupChoice({ chosen, onChange }: ChoiceParts) {
  const [q, setQ] = useState('')
  const groups = useQuery(groupsQuery(q))
  return (
    <div>
      <SearchBox value={q} placeholder="Name of a group" onChange={setQ} />
      <LoadFailure what="Groups" query={groups} />
      <ul className="group-choice" aria-label="Groups">
        {groups.data?.data.map(({ id, name }) => (
          <li key={id}>
            <label className="choice">
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={() => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])}
              />
              <span className="ellipsis">{visibleText(name)}</span>
            </label>
          </li>
        ))}
        {groups.data?.data.length === 0 && <li className="secondary">No groups found.</li>}
      </ul>
    </div>
  )
}
