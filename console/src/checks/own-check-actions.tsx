import { Button } from '@mantine/core'
import type { CheckFacts } from '@muster/contract/console-checks.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { request } from '../api/request.ts'
import { useSession } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { visibleText } from '../components/visible-text.ts'
import { devices } from './check-words.ts'

/** What can be done with a check of one's own besides configuring it. */
export function OwnCheckActions({ facts }: { facts: CheckFacts }) {
  const session = useSession()
  const navigate = useNavigate()
  const [isDeleting, setIsDeleting] = useState(false)
  const name = visibleText(facts.name)
  const begin = useAction<void, { id: string }>({
    act: () => request('/views/custom_check_drafts', { method: 'POST', body: { input: {}, from_check: facts.id } }),
    refresh: [['drafts']],
    onDone: ({ id }) => void navigate({ to: '/checks/drafts/$draftId', params: { draftId: id } }),
  })
  const remove = useAction({
    act: () => request(`/views/checks/${facts.id}`, { method: 'DELETE' }),
    refresh: [['issues'], ['devices']],
    said: () => `${name} is deleted`,
    onDone: () => void navigate({ to: '/checks' }),
  })
  const may =
    facts.kind !== 'catalogue' &&
    session?.permissions.includes('manage_custom_check_drafts') &&
    !session.disabled_features.includes('custom_checks')
  if (!may) return null
  const open = facts.open_issues
  return (
    <>
      <Button onClick={() => setIsDeleting(true)}>Delete…</Button>
      <Button loading={begin.isPending} onClick={() => begin.mutate()}>
        Change in a draft
      </Button>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setIsDeleting(false)}
        question={`Delete the check ${name}?`}
        consequences={[
          open === 1 ? 'Its open issue is resolved.' : `Its ${open.toLocaleString('en')} open issues are resolved.`,
          `Its results on ${devices(Object.values(facts.statuses).reduce((sum, count) => sum + count, 0))} are removed for good.`,
        ]}
        stays="The audit log keeps what was done. Drafts stay."
        verb="Delete the check"
        onConfirm={() => remove.mutate()}
        isBusy={remove.isPending}
      />
    </>
  )
}
