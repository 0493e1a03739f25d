import { Button, TextInput } from '@mantine/core'
import type { SettingFacts, SettingsChange } from '@muster/contract/console-settings.ts'
import { type Retained, retention } from '@muster/contract/retention.ts'
import { type FormEvent, useState } from 'react'
import { useMay } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { Block } from '../components/section-frame.tsx'
import { useSettings } from './use-settings.ts'

const after: Readonly<Record<Retained, string>> = {
  auth_logs: 'After the sign-in started.',
  settled_deliveries: 'After a delivery succeeded or was given up. Waiting deliveries stay.',
  settled_signals: 'After an event was accepted, acknowledged or given up. Waiting events stay.',
  live_results: 'After the query last ran. The counts stay.',
}
const kinds = Object.keys(after) as Retained[]
type Typed = Readonly<Record<Retained, string>>

const limitsOf = (what: Retained): string => {
  const { least, most, usual } = retention[what]
  return `${after[what]} ${least} to ${most.toLocaleString('en')} days; the default is ${usual}.`
}

/** How long what is kept, chosen for the organization. What is kept for less time from now on is removed, so that is asked first. */
export function RetentionForm({ chosen }: { chosen: SettingFacts['chosen'] }) {
  const mayManage = useMay('manage_settings')
  const before = Object.fromEntries(kinds.map((what) => [what, String(chosen[`${what}_days`])])) as Typed
  const [typed, setTyped] = useState(before)
  const [isAsking, setIsAsking] = useState(false)
  const changed = kinds.filter((what) => typed[what].trim() !== before[what])
  const shorter = changed.filter((what) => Number(typed[what]) < Number(before[what]))
  const save = useSettings('Retention saved', () => setIsAsking(false))
  const change = Object.fromEntries(changed.map((what) => [`${what}_days`, Number(typed[what])])) as SettingsChange
  const lackOf = (what: Retained): string | undefined => {
    const { least, most } = retention[what]
    const days = Number(typed[what].trim() || Number.NaN)
    const isWithin = Number.isInteger(days) && days >= least && days <= most
    return isWithin ? undefined : `Must be a whole number from ${least} to ${most}`
  }
  const isReady = changed.length > 0 && kinds.every((what) => lackOf(what) === undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) return
    if (shorter.length > 0) setIsAsking(true)
    else save.mutate(change)
  }
  return (
    <Block title="Retention you choose">
      <form className="plain-form" onSubmit={submit} noValidate>
        {kinds.map((what) => (
          <TextInput
            key={what}
            className="days-field"
            label={retention[what].title}
            description={limitsOf(what)}
            inputMode="numeric"
            value={typed[what]}
            readOnly={!mayManage}
            onChange={(event) => setTyped({ ...typed, [what]: event.currentTarget.value })}
            error={save.faultOf(`${what}_days`, typed[what] === before[what] ? undefined : lackOf(what))}
            rightSection={<span className="small faint">days</span>}
          />
        ))}
        <FormFault error={isAsking ? undefined : save.faultBeside} />
        {changed.length > 0 && (
          <div className="row">
            <Button onClick={() => setTyped(before)}>Discard</Button>
            <Button type="submit" variant="filled" disabled={!isReady} loading={save.isPending}>
              {changed.length === 1 ? 'Save 1 change' : `Save ${changed.length} changes`}
            </Button>
          </div>
        )}
      </form>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        question="Shorten retention?"
        consequences={shorter.map(
          (what) =>
            `${retention[what].title}: what is older than ${typed[what].trim()} days is permanently deleted within the hour. It was ${before[what]}.`,
        )}
        stays="What waits to be delivered, and the audit log."
        verb="Shorten retention"
        onConfirm={() => save.mutate(change)}
        isBusy={save.isPending}
        fault={save.faultBeside}
      />
    </Block>
  )
}
