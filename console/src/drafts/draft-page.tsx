import { Button } from '@mantine/core'
import type { DraftView } from '@muster/contract/console-drafts.ts'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { query } from '../api/query.ts'
import { useSession } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { fieldFaults } from '../components/field-faults.ts'
import { FormFault } from '../components/form-fault.tsx'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { Failure } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { RecordPage } from '../components/record-page.tsx'
import { SaveBar } from '../components/save-bar.tsx'
import { useAction } from '../components/use-action.ts'
import { useDebounced } from '../components/use-debounced.ts'
import { visibleText } from '../components/visible-text.ts'
import { DraftFields } from './draft-fields.tsx'
import { changesOf, type DraftForm, draftQuery, formOf } from './draft-queries.ts'
import { Sections, TextPreview } from './judgement.tsx'
import { TryOut } from './try-out.tsx'
import './drafts.css'

const route = getRouteApi('/shell/checks/drafts/$draftId')
const crumb = { to: '/checks', text: 'Checks' } as const

export function DraftPage() {
  const { draftId } = route.useParams()
  const session = useSession()
  const may = session?.permissions.includes('manage_custom_check_drafts') === true
  return (
    <RecordPage
      record={useQuery({ ...draftQuery(draftId), enabled: may })}
      nouns={['draft', 'checks']}
      id={draftId}
      crumb={crumb}
      {...(!may && { lacks: 'manage_custom_check_drafts' })}
      why="It may have been deleted."
    >
      {(data) => <DraftEditor key={draftId} draft={data} />}
    </RecordPage>
  )
}

function DraftEditor({ draft }: { draft: DraftView }) {
  const client = useQueryClient()
  const before = formOf(draft)
  const [form, setForm] = useState<DraftForm>(before)
  const changes = changesOf(before, form)
  const isDirty = Object.keys(changes).length > 0
  const asked = useDebounced(changes, 400)
  const judged = useQuery(
    query(
      'judgeCustomCheckDraft',
      { params: { draftId: draft.id }, body: asked },
      { placeholderData: keepPreviousData, retry: false },
    ),
  )
  const judgement = judged.data ?? draft.judgement
  const save = useAction({
    act: () => api('editCustomCheckDraft', { params: { draftId: draft.id }, body: changes }),
    hasForm: true,
    said: () => 'The draft is saved',
    onDone: (saved) => {
      client.setQueryData(draftQuery(draft.id).queryKey, saved)
      setForm(formOf(saved))
    },
  })
  const { faultIn: judgedFaultIn } = fieldFaults(judged.error)
  const areFieldsRefused = [judged.error, save.error].some(
    (error) => error instanceof ApiError && error.faults.length > 0,
  )
  const faultUnder = (field: string) => save.faultIn(field, judgedFaultIn(field))
  const name = visibleText(draft.name)
  return (
    <Page title={name} crumb={crumb} hasOwnTitle actions={<Ends draft={draft} isDirty={isDirty} />}>
      <div className="page check-page">
        <div className="title-row">
          <h1 tabIndex={-1} className="ellipsis" title={name}>
            {name}
          </h1>
          <span className="tag">{draft.custom_check_id === '' ? 'Draft' : 'Draft of a published check'}</span>
        </div>
        <p className="secondary">
          {draft.custom_check_id !== '' ? (
            <>
              The check stays as it is until the draft is published again.{' '}
              <Link className="underlined" to="/checks/$checkId" params={{ checkId: draft.custom_check_id }}>
                Open the check
              </Link>
            </>
          ) : (
            'Nothing runs until you publish. The check then starts as report only.'
          )}
        </p>
        <div className="draft-columns">
          <DraftFields form={form} onChange={(part) => setForm({ ...form, ...part })} faultUnder={faultUnder} />
          <aside className="draft-side" aria-label="Before you publish">
            {judged.isError && !areFieldsRefused && (
              <Failure
                what="The draft could not be checked."
                error={judged.error}
                onRetry={() => void judged.refetch()}
              />
            )}
            <Sections judgement={judgement} />
            <TextPreview judgement={judgement} title={form.issue_title} />
            {draft.check_type === 'osquery' && <TryOut name={draft.name} sql={judgement.sql} />}
          </aside>
        </div>
        {isDirty && (
          <SaveBar
            isWhole
            said={Object.keys(changes).length === 1 ? '1 change' : `${Object.keys(changes).length} changes`}
            below={<FormFault error={save.faultBeside} />}
            onDiscard={() => setForm(before)}
          >
            <Button variant="filled" loading={save.isPending} data-submit onClick={() => save.mutate()}>
              Save the draft
            </Button>
          </SaveBar>
        )}
      </div>
      <LeaveGuard isDirty={isDirty} />
    </Page>
  )
}

function Ends({ draft, isDirty }: { draft: DraftView; isDirty: boolean }) {
  const navigate = useNavigate()
  const [isDeleting, setIsDeleting] = useState(false)
  const name = visibleText(draft.name)
  const publish = useAction<void, { check_id: string }>({
    act: () => api('publishCustomCheckDraft', { params: { draftId: draft.id } }),
    refresh: ['checks', 'drafts'],
    said: () => (draft.custom_check_id === '' ? `Published “${name}” as report only` : `Published “${name}” again`),
    onDone: ({ check_id: checkId }) => void navigate({ to: '/checks/$checkId', params: { checkId } }),
  })
  const remove = useAction({
    act: () => api('deleteCustomCheckDraft', { params: { id: draft.id } }),
    refresh: ['checks'],
    said: () => `The draft ${name} is deleted`,
    onDone: () => void navigate({ to: '/checks' }),
  })
  const why = isDirty ? 'Save the draft first' : draft.publishable ? undefined : 'Complete every section first'
  return (
    <span className="row">
      <Button onClick={() => setIsDeleting(true)}>Delete…</Button>
      <Button
        variant="filled"
        loading={publish.isPending}
        aria-disabled={why !== undefined}
        title={why}
        className={why === undefined ? '' : 'not-now'}
        onClick={() => why === undefined && publish.mutate()}
      >
        {draft.custom_check_id === '' ? 'Publish' : 'Publish again'}
      </Button>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setIsDeleting(false)}
        question={`Delete the draft ${name}?`}
        consequences={['Everything written in it is lost.']}
        {...(draft.custom_check_id !== '' && { stays: 'The check that was published from it stays.' })}
        verb="Delete the draft"
        onConfirm={() => remove.mutate()}
        isBusy={remove.isPending}
      />
    </span>
  )
}
