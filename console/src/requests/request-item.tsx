import { Button } from '@mantine/core'
import type { ExemptionRequestView } from '@muster/contract/console-issues.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { useSession } from '../api/session.ts'
import { RelativeTime } from '../components/relative-time.tsx'
import { Mark, type MarkName } from '../components/state-shape.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { type Decision, DecisionDialog, type RequestView } from './decision-dialog.tsx'
import { RegistrationFacts } from './registration-facts.tsx'

type Parts = {
  readonly kind: 'exemption' | 'registration'
  readonly asked: RequestView
  /** Undefined where it cannot be selected. */
  readonly isChosen: boolean | undefined
  /** Whether others are selected, which the keys then act on. */
  readonly isSelecting: boolean
  readonly onChoose: (isOn: boolean) => void
}

export const isWaiting = ({ status }: RequestView): boolean => status === 'open' || status === 'pending'

const statusWords: Readonly<Record<Parts['asked']['status'], readonly [MarkName, string]>> = {
  open: ['clock', 'Waiting'],
  pending: ['clock', 'Waiting'],
  approved: ['tick', 'Approved'],
  denied: ['cross', 'Denied'],
  withdrawn: ['dash', 'Withdrawn'],
}

export function RequestItem({ kind, asked, isChosen, isSelecting, onChoose }: Parts) {
  const [mark, word] = statusWords[asked.status]
  const [requester, device] = [visibleText(asked.requester.name), visibleText(asked.device.name)]
  return (
    <li className="request" data-row>
      {isChosen !== undefined && (
        <input
          type="checkbox"
          className="request-choice"
          aria-label={`Select ${requester}’s request`}
          checked={isChosen}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
      )}
      <div className="request-body">
        <div className="request-head">
          <Link to="/people/$personId" params={{ personId: asked.requester.id }} className="medium" data-row-link>
            {requester}
          </Link>{' '}
          {kind === 'exemption' ? 'asks for an exemption on' : 'asks for'}{' '}
          <Link to="/devices/$deviceId" params={{ deviceId: asked.device.id }} className="medium">
            {device}
          </Link>
        </div>
        <blockquote>{visibleText(asked.message)}</blockquote>
        {'issues' in asked && <CoveredIssues issues={asked.issues} />}
        {'present_owner' in asked && <RegistrationFacts asked={asked} />}
        {asked.internal_note !== null && <p className="small secondary">Note: {visibleText(asked.internal_note)}</p>}
        {asked.denial_note !== null && (
          <p className="small secondary">Message to the requester: {visibleText(asked.denial_note)}</p>
        )}
      </div>
      <div className="request-side">
        <span className="state">
          <Mark name={mark} />
          {word}
        </span>
        <span className="small faint">
          <Link
            to={kind === 'exemption' ? '/requests/exemptions/$requestId' : '/requests/registrations/$requestId'}
            params={{ requestId: asked.id }}
            className="underlined"
            title="Link to this request"
          >
            <RelativeTime time={asked.decided_at ?? asked.requested_at} />
          </Link>
        </span>
        <RequestActions kind={kind} asked={asked} hasKeys={!isSelecting} />
      </div>
    </li>
  )
}

const CoveredIssues = ({ issues }: { issues: ExemptionRequestView['issues'] }) => (
  <ul className="covered">
    {issues.map((issue) => (
      <li key={issue.id}>
        <Link to="/issues/$issueId" params={{ issueId: issue.id }} className="underlined">
          {visibleText(issue.title)}
        </Link>
        {issue.issue_value !== null && <code className="secondary ellipsis">{visibleText(issue.issue_value)}</code>}
        <span className="small faint">
          {issue.resolved_at !== null ? (
            'resolved'
          ) : issue.blocks_at === null ? (
            'blocks nobody'
          ) : (
            <>
              blocks <RelativeTime time={issue.blocks_at} />
            </>
          )}
        </span>
      </li>
    ))}
  </ul>
)

function RequestActions({ kind, asked, hasKeys }: Pick<Parts, 'kind' | 'asked'> & { readonly hasKeys: boolean }) {
  const session = useSession()
  const [deciding, setDeciding] = useState<Decision>()
  const reopen = useAction({
    act: () =>
      api(kind === 'exemption' ? 'reopenExemptionRequest' : 'reopenRegistrationRequest', {
        params: { requestId: asked.id },
      }),
    refresh: ['requests', 'issues', 'devices', 'checks'],
    said: () => 'Request reopened',
  })
  if (!session?.permissions.includes('manage_user_requests')) return null
  const mayReopen = asked.status === 'denied' || (kind === 'exemption' && asked.status === 'approved')
  return (
    <div className="row request-buttons">
      {isWaiting(asked) && (
        <>
          <Button {...(hasKeys && { 'data-press': 'd' })} onClick={() => setDeciding('denied')}>
            Deny…
          </Button>
          <Button variant="filled" {...(hasKeys && { 'data-press': 'a' })} onClick={() => setDeciding('approved')}>
            Approve…
          </Button>
        </>
      )}
      {mayReopen && (
        <Button loading={reopen.isPending} onClick={() => reopen.mutate()}>
          Reopen
        </Button>
      )}
      {deciding && (
        <DecisionDialog kind={kind} asked={[asked]} decision={deciding} onClose={() => setDeciding(undefined)} />
      )}
    </div>
  )
}
