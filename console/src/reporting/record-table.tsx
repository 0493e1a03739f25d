import type { ReportingTable, TableRecord } from '@muster/contract/reporting-tables.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import './reporting.css'
import type { ListOf } from '@muster/contract/operations/all-operations.ts'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { Scroller } from '../components/scroller.tsx'
import { visibleText } from '../components/visible-text.ts'

type Parts = {
  readonly table: ReportingTable
  readonly list: UseQueryResult<ListOf<TableRecord>>
  readonly without?: readonly string[]
  readonly empty: ReactNode
  readonly after: string | undefined
  readonly onNext: (after: string) => void
}

/** Rows of a reporting table, every value as text. */
export function RecordTable({ table, list, without = [], empty, after = '', onNext }: Parts) {
  const columns = table.column_names.filter((name) => !without.includes(name))
  if (list.isError) {
    return <Failure what="Records could not be loaded." error={list.error} onRetry={() => void list.refetch()} />
  }
  if (list.data === undefined) return <SkeletonRows rows={6} />
  if (list.data.data.length === 0) return empty
  return (
    <>
      <Scroller name={`Records of ${table.name}`} className={list.isPlaceholderData ? 'old' : ''}>
        <table className="table compact value-table">
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name}>
                  <code>{name}</code>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.data.data.map((record) => (
              <tr key={record.id}>
                {columns.map((name) => (
                  <td key={name} title={visibleText(record[name] ?? '')}>
                    {visibleText(record[name] ?? '')}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      <CursorPaging
        current={after}
        next={list.data.pagination.next_cursor}
        shown={list.data.data.length}
        onNext={onNext}
      />
    </>
  )
}
