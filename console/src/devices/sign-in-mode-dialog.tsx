import { Button, Modal } from '@mantine/core'
import type { Device } from '@muster/contract/devices.ts'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { FormFault } from '../components/form-fault.tsx'
import { PersonGroupChoice, type PersonGroupName } from '../components/person-group-choice.tsx'
import { useAction } from '../components/use-action.ts'
import { modeWords } from './sign-in-modes.ts'

type Mode = keyof typeof modeWords
const withGroups: Mode = 'only_registered_owner_or_group_members'

const hints: Readonly<Record<Mode, string>> = {
  only_registered_owner: 'Nobody else can sign in with this device.',
  only_registered_owner_or_group_members: 'People in the chosen groups can sign in with it too.',
  anyone: 'Anyone can sign in with this device if its state allows it.',
}

/** Who may sign in with a registered device; undone from the toast. */
export function SignInModeDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const before = device.auth_configuration
  const groupsBefore: readonly PersonGroupName[] = before?.person_groups ?? []
  const [mode, setMode] = useState<Mode>(before?.authentication_mode ?? 'only_registered_owner')
  const [groups, setGroups] = useState(groupsBefore)
  const send = (chosenMode: Mode, chosen: readonly PersonGroupName[]) =>
    api('updateDeviceAuthenticationMode', {
      params: { deviceId: device.id },
      body: { authentication_mode: chosenMode, person_group_ids: chosen.map(({ id }) => id) },
    })
  const refresh = ['devices', 'audit'] as const
  const takeBack = useAction({
    act: () => send(before?.authentication_mode ?? 'only_registered_owner', groupsBefore),
    refresh,
    said: () => 'Undone',
  })
  const save = useAction({
    act: () => send(mode, mode === withGroups ? groups : []),
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
        {mode === withGroups && <PersonGroupChoice chosen={groups} onChange={setGroups} />}
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
