import type { CheckView } from '@muster/contract/console-checks.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api } from '../api/api.ts'
import { useMay, useSession } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useAction } from '../components/use-action.ts'
import { useNeeded } from '../components/use-needed.ts'
import type { Verb } from '../components/verbs.tsx'
import { visibleText } from '../components/visible-text.ts'
import { checkFactsQuery } from './check-queries.ts'
import { devices } from './check-words.ts'

type Parts = {
  readonly check: Pick<CheckView, 'id' | 'name' | 'kind' | 'is_paused'>
  readonly onDeleted: () => void
}

type CheckVerbs = {
  readonly verbs: Readonly<Record<'draft' | 'pause' | 'resume' | 'delete', Verb | false>>
  readonly dialogs: ReactNode
}

/** What someone may do with a check besides configuring it, from its page and from its row. */
export function useCheckVerbs({ check, onDeleted }: Parts): CheckVerbs {
  const navigate = useNavigate()
  const [isDeleting, setIsDeleting] = useState(false)
  const mayConfigure = useMay('configure_checks')
  const mayWrite = useMayWriteChecks() && check.kind !== 'catalogue'
  const pause = usePause(check)
  const begin = useAction<void, { id: string }>({
    act: () => api('createCustomCheckDraft', { body: { input: {}, from_check: check.id } }),
    refresh: ['drafts'],
    onDone: ({ id }) => void navigate({ to: '/checks/drafts/$draftId', params: { draftId: id } }),
  })
  const resume = () =>
    void navigate({ to: '/checks/$checkId/configuration', params: { checkId: check.id }, search: { resume: '1' } })
  return {
    verbs: {
      draft: mayWrite && { text: 'Change in a draft', run: () => begin.mutate(), isBusy: begin.isPending },
      pause: mayConfigure && !check.is_paused && { text: 'Pause', run: () => pause.mutate(), isBusy: pause.isPending },
      resume: mayConfigure && check.is_paused && { text: 'Resume…', run: resume },
      delete: mayWrite && { text: 'Delete…', run: () => setIsDeleting(true), isDangerous: true },
    },
    dialogs: isDeleting && <DeleteCheck check={check} onClose={() => setIsDeleting(false)} onDeleted={onDeleted} />,
  }
}

/** Whether someone may write checks of their own, where the organization has them. */
export function useMayWriteChecks(): boolean {
  const session = useSession()
  return (
    session?.permissions.includes('manage_custom_check_drafts') === true &&
    !session.disabled_features.includes('custom_checks')
  )
}

/** Pausing releases at once and can be undone; resuming may block, so it goes through the preview. */
function usePause({ id, name }: Parts['check']) {
  const parts = (paused: boolean) => ({
    act: () => api('updateCheckConfiguration', { params: { checkId: id }, body: { paused } }),
    refresh: ['checks'] as const,
    said: () => `${paused ? 'Paused' : 'Resumed'} “${visibleText(name)}”`,
  })
  const undo = useAction(parts(false))
  return useAction({ ...parts(true), undo: () => ({ label: 'Undo', run: () => undo.mutate() }) })
}

function DeleteCheck({ check, onDeleted, onClose }: Parts & { readonly onClose: () => void }) {
  const facts = useNeeded(useQuery(checkFactsQuery(check.id)), onClose)
  const name = visibleText(check.name)
  const remove = useAction({
    act: () => api('deleteCustomCheck', { params: { checkId: check.id } }),
    refresh: ['listCheckViews', 'issues', 'devices'],
    said: () => `Deleted “${name}”`,
    onDone: () => {
      onClose()
      onDeleted()
    },
    hasForm: true,
  })
  if (!facts) return null
  const { open_issues: open, statuses } = facts
  const results = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      question={`Delete the check “${name}”?`}
      consequences={[
        open === 1 ? 'Its open issue is resolved.' : `Its ${open.toLocaleString('en')} open issues are resolved.`,
        `Its results on ${devices(results)} are permanently deleted.`,
      ]}
      stays="The audit log and drafts stay."
      verb="Delete the check"
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
      fault={remove.faultBeside}
    />
  )
}
