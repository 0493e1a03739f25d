import { Button, Modal, Textarea } from '@mantine/core'
import type { ExemptionRequestView, RegistrationRequestView } from '@muster/contract/console-issues.ts'
import { useState } from 'react'
import { request } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { FormFault } from '../components/form-fault.tsx'
import { visibleText } from '../components/visible-text.ts'

type Parts = {
  readonly kind: 'exemption' | 'registration'
  readonly asked: ExemptionRequestView | RegistrationRequestView
  readonly decision: 'approved' | 'denied'
  readonly onClose: () => void
}

export function DecisionDialog({ kind, asked, decision, onClose }: Parts) {
  const [note, setNote] = useState('')
  const [explanation, setExplanation] = useState('')
  const [requester, device] = [visibleText(asked.requester.name), visibleText(asked.device.name)]
  const isDenying = decision === 'denied'
  const explanationField = kind === 'exemption' ? 'denial_explanation' : 'end_user_denial_message'
  const decide = useAction({
    act: () => {
      // Of an exemption the note is needed, and the server says so.
      const isNoted = note !== '' || kind === 'exemption'
      const body = {
        status: decision,
        ...(isNoted && { internal_message: note }),
        ...(isDenying && { [explanationField]: explanation }),
      }
      return request(`/${kind}_requests/${asked.id}`, { method: 'PATCH', body })
    },
    refresh: [['requests'], ['issues'], ['devices'], ['checks'], ['people']],
    hasForm: true,
    said: () => `${decision === 'denied' ? 'Denied' : 'Approved'} ${requester}’s request`,
    onDone: onClose,
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={isDenying ? `Deny ${requester}’s request?` : `Approve ${requester}’s request?`}
      withCloseButton={false}
    >
      <form
        className="decision"
        onSubmit={(event) => {
          event.preventDefault()
          decide.mutate()
        }}
      >
        <p className="t2">{consequenceOf({ kind, asked, decision }, requester, device)}</p>
        {isDenying && (
          <Textarea
            label={`Explanation for ${requester}`}
            description="Shown to them at sign-in"
            rows={3}
            value={explanation}
            error={decide.faultOf(explanationField)}
            onChange={(event) => setExplanation(event.currentTarget.value)}
            data-autofocus
          />
        )}
        <Textarea
          label="Note for administrators"
          description={kind === 'exemption' ? 'Stored with the request' : 'Stored with the request; optional'}
          rows={2}
          value={note}
          error={decide.faultOf('internal_message')}
          onChange={(event) => setNote(event.currentTarget.value)}
          {...(!isDenying && { 'data-autofocus': true })}
        />
        <FormFault error={decide.faultBeside('internal_message', explanationField)} />
        <div className="dialog-ends">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" loading={decide.isPending}>
            {isDenying ? 'Deny the request' : 'Approve the request'}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

function consequenceOf({ kind, asked, decision }: Omit<Parts, 'onClose'>, requester: string, device: string): string {
  if (decision === 'denied') return `Nothing changes on ${device}. ${requester} sees your explanation.`
  if ('issues' in asked && kind === 'exemption') {
    const open = asked.issues.filter((issue) => issue.resolved_at === null).length
    return `${open === 1 ? '1 issue stays' : `${open} issues stay`} open on ${device} and no longer block.`
  }
  const before = 'present_owner' in asked ? asked.present_owner : null
  return before === null
    ? `${device} is registered to ${requester}.`
    : `${device} is registered to ${requester}; ${visibleText(before.name)} loses it.`
}
