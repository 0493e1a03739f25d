import { Button, Modal, Textarea } from '@mantine/core'
import type { ExemptionRequestView, RegistrationRequestView } from '@muster/contract/console-issues.ts'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { FormFault } from '../components/form-fault.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

export type RequestView = ExemptionRequestView | RegistrationRequestView
export type Decision = 'approved' | 'denied'

type Parts = {
  readonly kind: 'exemption' | 'registration'
  /** One request, or several that get the same decision and the same words. */
  readonly asked: readonly RequestView[]
  readonly decision: Decision
  readonly onClose: () => void
}

type Outcome = { readonly decided: number; readonly failures: readonly string[] }

/** The API wants a note with each decision about an exemption; here it is optional. */
const usualNotes: Readonly<Record<Decision, string>> = {
  approved: 'Approved in the console.',
  denied: 'Denied in the console.',
}

export function DecisionDialog({ kind, asked, decision, onClose }: Parts) {
  const [note, setNote] = useState('')
  const [explanation, setExplanation] = useState('')
  const [done, setDone] = useState(0)
  const isDenying = decision === 'denied'
  const [first] = asked
  const who =
    asked.length === 1 && first ? `${visibleText(first.requester.name)}’s request` : `${asked.length} requests`
  const explanationField = kind === 'exemption' ? 'denial_explanation' : 'end_user_denial_message'
  const internal = note.trim() === '' ? undefined : note
  const denial = isDenying ? explanation : undefined
  const decideOne = (id: string): Promise<unknown> => {
    const params = { id }
    if (kind === 'exemption') {
      const body = { internal_message: internal ?? usualNotes[decision], denial_explanation: denial }
      return api('decideExemptionRequest', { params, body: { status: decision, ...body } })
    }
    const body = { status: decision, internal_message: internal, end_user_denial_message: denial }
    return api('decideRegistrationRequest', { params, body })
  }
  const decide = useAction({
    act: () => decideEach(asked, decideOne, setDone),
    refresh: ['requests', 'issues', 'devices', 'checks', 'people'],
    hasForm: true,
    said: (outcome) => outcomeInWords(outcome, isDenying ? 'Denied' : 'Approved', who),
    onDone: onClose,
  })
  const verb = isDenying ? 'Deny' : 'Approve'
  return (
    <Modal opened onClose={onClose} title={`${verb} ${who}?`} withCloseButton={false}>
      <form
        className="decision"
        onSubmit={(event) => {
          event.preventDefault()
          decide.mutate()
        }}
      >
        <p className="secondary">{consequenceOf(kind, asked, decision)}</p>
        {isDenying && (
          <Textarea
            label={
              asked.length === 1 && first
                ? `Explanation for ${visibleText(first.requester.name)}`
                : 'Explanation for each requester'
            }
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
          description="Stored with the request; optional"
          rows={2}
          value={note}
          error={decide.faultOf('internal_message')}
          onChange={(event) => setNote(event.currentTarget.value)}
          {...(!isDenying && { 'data-autofocus': true })}
        />
        <FormFault error={decide.faultBeside} />
        <div className="dialog-ends">
          {decide.isPending && asked.length > 1 && (
            <span className="small secondary grow" role="status">
              {done} of {asked.length} decided
            </span>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" loading={decide.isPending}>
            {asked.length === 1 ? `${verb} the request` : `${verb} ${asked.length} requests`}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

/**
 * One after the other, each in a transaction of its own. What the form has to say stops at the first; a request that someone
 * else decided in the meantime does not stop the others.
 */
async function decideEach(
  asked: readonly RequestView[],
  decide: (id: string) => Promise<unknown>,
  onProgress: (done: number) => void,
): Promise<Outcome> {
  const failures: string[] = []
  for (const [index, { id, requester }] of asked.entries()) {
    try {
      await decide(id)
    } catch (error) {
      if (asked.length === 1 || !(error instanceof ApiError) || (index === 0 && error.faults.length > 0)) throw error
      failures.push(`${visibleText(requester.name)}: ${error.message}`)
    }
    onProgress(index + 1)
  }
  return { decided: asked.length - failures.length, failures }
}

function outcomeInWords({ decided, failures }: Outcome, verb: string, who: string): string {
  if (failures.length === 0) return `${verb} ${who}`
  return `${verb} ${decided}, ${failures.length} could not be decided. ${failures.slice(0, 3).join('; ')}`
}

function consequenceOf(kind: Parts['kind'], asked: readonly RequestView[], decision: Decision): string {
  const [first] = asked
  if (asked.length > 1 || !first) {
    if (decision === 'denied') return 'Nothing changes on the devices. The requesters see your explanation.'
    return kind === 'exemption'
      ? 'The issues stay open on the devices but no longer block.'
      : 'Each device is registered to its requester; present owners lose theirs.'
  }
  const [requester, device] = [visibleText(first.requester.name), visibleText(first.device.name)]
  if (decision === 'denied') return `Nothing changes on ${device}. ${requester} sees your explanation.`
  if ('issues' in first) {
    const open = first.issues.filter((issue) => issue.resolved_at === null).length
    return open === 1
      ? `1 issue stays open on ${device} but no longer blocks.`
      : `${open} issues stay open on ${device} but no longer block.`
  }
  const before = first.present_owner
  return before === null
    ? `${device} is registered to ${requester}.`
    : `${device} is registered to ${requester}; ${visibleText(before.name)} loses it.`
}
