import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useSession } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Failure } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import './drafts.css'

const crumb = { to: '/checks', text: 'Checks' } as const

const firstSql = `SELECT
  CASE WHEN 1 = 1 THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM osquery_info;`

export function NewDraftPage() {
  const session = useSession()
  if (!session?.permissions.includes('manage_custom_check_drafts')) {
    return (
      <Page title="New check" crumb={crumb}>
        <div className="page">
          <MissingPermission power="manage_custom_check_drafts" />
        </div>
      </Page>
    )
  }
  return (
    <Page title="New check" crumb={crumb}>
      <div className="page new-draft">
        <NewDraftForm />
        <Drafts />
      </div>
    </Page>
  )
}

function NewDraftForm() {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const create = useAction<void, { id: string }>({
    act: () => {
      const input = { name, osquery_sql: firstSql }
      return api('createCustomCheckDraft', { body: { input } })
    },
    refresh: ['drafts'],
    hasForm: true,
    onDone: ({ id }) => void navigate({ to: '/checks/drafts/$draftId', params: { draftId: id } }),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate()
      }}
    >
      <p className="secondary">
        Custom checks are osquery SQL plus the text owners see. Nothing runs until you publish.
      </p>
      <TextInput
        label="Name"
        description="Name the good state, for example “Hosts file is untouched”"
        value={name}
        error={create.faultOf('name')}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={200}
      />
      <FormFault error={create.faultBeside} />
      <div>
        <Button type="submit" variant="filled" loading={create.isPending}>
          Create draft
        </Button>
      </div>
    </form>
  )
}

function Drafts() {
  const drafts = useQuery(query('listCustomCheckDrafts', { query: { per_page: 100 } }))
  const rows = drafts.data?.data ?? []
  if (drafts.isError) {
    return <Failure what="Drafts could not be loaded." error={drafts.error} onRetry={() => void drafts.refetch()} />
  }
  if (rows.length === 0) return null
  return (
    <section className="section" aria-labelledby="drafts">
      <h2 id="drafts">Drafts</h2>
      <ul>
        {rows.map((draft) => (
          <li className="line" key={draft.id}>
            <Link
              to="/checks/drafts/$draftId"
              params={{ draftId: draft.id }}
              className="medium ellipsis grow"
              data-row-link
            >
              {visibleText(draft.name)}
            </Link>
            <span className="secondary">
              {draft.published ? 'Published' : draft.publishable ? 'Publishable' : 'Unfinished'}
            </span>
            <span className="faint tabular">
              <RelativeTime time={draft.updated_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
