import type { AuditSubjectKind } from '@muster/contract/audit-subjects.ts'
import type { AuditView } from '@muster/contract/console-records.ts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import './audit.css'
import { ListBody } from '../components/list-body.tsx'
import { auditViewsQuery } from './audit-queries.ts'
import { AuditTable } from './audit-table.tsx'

type Parts = {
  readonly kind: AuditSubjectKind
  readonly id: string
  /** As entries quote it that were written before they noted what they are about; undefined until it is known. */
  readonly name: string | undefined
  readonly after?: string | undefined
  /** Left out where the latest are all that is shown. */
  readonly onPage?: (after: string) => void
  /** What can be done with an entry. */
  readonly verb?: (row: AuditView, place: number) => ReactNode
}

const latest = 10

/** What the audit log says of one record, whatever it was called then. */
export function RecordEntries({ kind, id, name, after, onPage, verb }: Parts) {
  const filter = { subject: `${kind}:${id}`, ...(name !== undefined && name !== '' && { about: name.slice(0, 200) }) }
  const entries = useQuery({
    ...auditViewsQuery(filter, after, onPage ? 50 : latest),
    enabled: name !== undefined,
  })
  return (
    <ListBody
      isInset
      list={entries}
      name="Audit log"
      empty={<p className="secondary">Nothing yet. Changes and revealed secrets are recorded here.</p>}
      after={after}
      {...(onPage && { onNext: onPage })}
    >
      {(rows) => <AuditTable rows={rows} {...(verb && { verb })} />}
    </ListBody>
  )
}
