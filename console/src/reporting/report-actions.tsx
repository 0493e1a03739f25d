import { Button } from '@mantine/core'
import type { ReportingQuery } from '@muster/contract/reporting-queries.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { addressOf, api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Icon } from '../components/icon.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts = { readonly report: ReportingQuery; readonly isAwaited: boolean; readonly onRun: () => void }

export function ReportActions({ report, isAwaited, onRun }: Parts) {
  const navigate = useNavigate()
  const [isAsking, setIsAsking] = useState(false)
  const mayWrite = useMay('create_live_query')
  const name = visibleText(report.name)
  const run = useAction({ act: () => api('runReportingQuery', { params: { queryId: report.id } }), onDone: onRun })
  const remove = useAction({
    act: () => api('deleteReportingQuery', { params: { id: report.id } }),
    refresh: ['listReportingQueries'],
    said: () => `${name} deleted`,
    onDone: () => void navigate({ to: '/reporting/queries' }),
    hasForm: true,
  })
  return (
    <>
      {report.result_count > 0 && (
        <a
          className="line-button"
          href={addressOf('exportReportingQuery', { params: { queryId: report.id } })}
          download
        >
          <Icon name="download" size={14} />
          Export CSV
        </a>
      )}
      {mayWrite && (
        <>
          <Button
            leftSection={<Icon name="refresh" size={14} />}
            loading={run.isPending || isAwaited}
            onClick={() => run.mutate()}
          >
            Run now
          </Button>
          <Button onClick={() => setIsAsking(true)}>Delete…</Button>
        </>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        question={`Delete ${name}?`}
        consequences={['It stops running, and its rows are deleted for everyone, including API clients.']}
        verb="Delete the query"
        onConfirm={() => remove.mutate()}
        isBusy={remove.isPending}
        fault={remove.faultBeside}
      />
    </>
  )
}
