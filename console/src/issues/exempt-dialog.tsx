import { Button, Modal, Textarea, TextInput } from '@mantine/core'
import type { IssueFacts } from '@muster/contract/console-issues.ts'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { FormFault } from '../components/form-fault.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts = { readonly issue: IssueFacts; readonly onClose: () => void }

/** Takes the whole check off the device, with a reason and, where wanted, an end. */
export function ExemptDialog({ issue, onClose }: Parts) {
  const params = { deviceId: issue.device.id, checkId: issue.check.id }
  const [reason, setReason] = useState('')
  const [day, setDay] = useState('')
  const exempt = useAction({
    act: () => {
      const body = { reason, expires_at: day === '' ? null : `${day}T00:00:00.000Z` }
      return api('exemptCheckOnDevice', { params, body })
    },
    refresh: ['issues', 'devices', 'checks'],
    hasForm: true,
    said: () => `${visibleText(issue.device.name)} is exempted from ${visibleText(issue.check.name)}`,
    undo: () => ({
      label: 'Undo',
      run: () => end.mutate(),
    }),
    onDone: onClose,
  })
  const end = useAction({
    act: () => api('endExemptionOfCheckOnDevice', { params }),
    refresh: ['issues', 'devices', 'checks'],
    said: () => 'Exemption ended; the issue applies again',
  })
  return (
    <Modal opened onClose={onClose} title={`Exempt ${visibleText(issue.device.name)}?`} withCloseButton={false}>
      <form
        className="dialog-fields"
        onSubmit={(event) => {
          event.preventDefault()
          exempt.mutate()
        }}
      >
        <p className="secondary">
          The check “{visibleText(issue.check.name)}” stops applying to this device. Open issues no longer block, and no
          new ones are created.
        </p>
        <Textarea
          label="Reason"
          description="For the audit log and other administrators"
          rows={3}
          value={reason}
          error={exempt.faultOf('reason')}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label="Until"
          description="Applies again from this date (UTC). Leave empty for no end."
          type="date"
          value={day}
          error={exempt.faultOf('expires_at')}
          onChange={(event) => setDay(event.currentTarget.value)}
        />
        <FormFault error={exempt.faultBeside} />
        <div className="dialog-ends">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" loading={exempt.isPending}>
            Exempt this device
          </Button>
        </div>
      </form>
    </Modal>
  )
}
