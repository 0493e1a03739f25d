import { maxRegisteredAtOnce } from '@muster/contract/console-values.ts'
import type { DeviceView } from '@muster/contract/console-views.ts'
import type { Person } from '@muster/contract/people.ts'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { devicesInWords } from '../components/devices-in-words.ts'
import { besideAfter } from '../components/form-fault.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { ownDevicesQuery } from './own-devices.tsx'

type Parts = { readonly person: Person; readonly isAdministrator: boolean; readonly onClose: () => void }

const touched = ['people', 'deprovisioned_people', 'devices', 'audit'] as const
const isHeld = ({ device_type: type }: DeviceView): boolean => type === 'iOS' || type === 'Android'

export function DeprovisionDialog({ person, isAdministrator, onClose }: Parts) {
  const devices = useQuery(ownDevicesQuery(person.id)).data?.data
  const computers = devices?.filter((device) => !isHeld(device)) ?? []
  const held = devices?.filter(isHeld) ?? []
  const name = visibleText(person.name)
  const undo = useUndo(person)
  const deprovision = useAction({
    act: () => api('deprovisionPerson', { params: { id: person.id } }),
    refresh: touched,
    said: () => `${name} is deprovisioned`,
    undo: () => ({ label: 'Undo', run: () => undo.mutate(computers) }),
    onDone: onClose,
    hasForm: true,
  })
  const whole = deprovision.faultOf('id')
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      question={`Deprovision ${name}?`}
      consequences={[
        `${name} can no longer sign in with a device.`,
        ...(computers.length > 0
          ? [
              `${devicesInWords(computers.length)} ${computers.length === 1 ? 'has' : 'have'} no owner then: ${named(computers)}.`,
            ]
          : []),
        ...(held.length > 0
          ? [
              `${held.length === 1 ? '1 phone or tablet is' : `${held.length} phones and tablets are`} deleted: ${named(held)}.`,
            ]
          : []),
        ...(isAdministrator
          ? [
              'An administrator has this address: they are signed out of the console, and cannot sign in until the person is restored.',
            ]
          : []),
      ]}
      stays="Results, issues, sign-ins and groups stay. You can restore the person."
      verb="Deprovision"
      onConfirm={() => deprovision.mutate()}
      isBusy={deprovision.isPending}
      isReady={devices !== undefined}
      fault={besideAfter(whole && `${name} ${whole}.`, deprovision.faultBeside)}
    />
  )
}

/** Restores the person, and registers their computers again. A suspended registration is for someone to decide about, not for Undo. */
function useUndo({ id, name }: Person) {
  return useAction({
    act: async (computers: readonly DeviceView[]) => {
      await api('restorePerson', { params: { id } })
      let done = 0
      const sure = computers.filter(({ identity_doubts: doubts }) => doubts.length === 0)
      for (let from = 0; from < sure.length; from += maxRegisteredAtOnce) {
        const some = sure.slice(from, from + maxRegisteredAtOnce)
        const registrations = some.map((device) => ({ device_id: device.id, person_id: id }))
        done += (await api('registerDevices', { body: { registrations } })).registered_count
      }
      return { done }
    },
    refresh: touched,
    said: ({ done }, { length }) => {
      const back = `${visibleText(name)} is active again`
      if (length === 0) return back
      return done === length
        ? `${back}, with ${devicesInWords(done)}`
        : `${back}, with ${done} of ${devicesInWords(length)}`
    },
  })
}

const shown = 3

function named(devices: readonly DeviceView[]): string {
  const names = devices.slice(0, shown).map((device) => visibleText(device.name))
  return devices.length > shown ? `${names.join(', ')} and ${devices.length - shown} more` : names.join(', ')
}
