import { Button } from '@mantine/core'
import type { Pagination } from '@muster/contract/pagination.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import './list-body.css'
import { CursorPaging } from './cursor-paging.tsx'
import { Emptiness, Failure, SkeletonRows } from './notices.tsx'
import { Scroller } from './scroller.tsx'

/** What stands below the rows of a page: how many they are, and the cursor of the next one, blank on the last. */
export type ListFoot = (page: { readonly shown: number; readonly next: string }) => ReactNode

type Parts<Row> = {
  readonly list: UseQueryResult<{ readonly data: readonly Row[]; readonly pagination: Pick<Pagination, 'next_cursor'> }>
  /** What is shown of the page, where that is not simply what was read last. */
  readonly rows?: readonly Row[]
  /** "People": the name of the table, and what could not be loaded. */
  readonly name: string
  /** The filter in words; blank when there is none. */
  readonly filter?: string
  readonly onClear?: () => void
  /** "No people match." */
  readonly noMatch?: string
  /** What is shown while there is nothing at all. */
  readonly empty: ReactNode
  readonly after?: string | undefined
  /** Left out where one page is all that is shown. */
  readonly onNext?: (after: string) => void
  /** Instead of the way to the next page alone. */
  readonly foot?: ListFoot
  /** Fetches the page that a cursor leads to, before someone goes there. */
  readonly onNear?: (after: string) => void
  /** Head and body of the table. */
  readonly children: (rows: readonly Row[]) => ReactNode
  readonly className?: string
  /** Of a table whose cells are laid out by styles of their own on a phone. */
  readonly hasOwnLayout?: boolean
  /** Within a page that has its own margins. */
  readonly isInset?: boolean
}

/** A list of the server: its rows, or why there are none, and the way to the next page. */
export function ListBody<Row>(parts: Parts<Row>) {
  const { list, name, empty, after = '', onNext, foot, isInset = false, className = '', hasOwnLayout = false } = parts
  const layout = hasOwnLayout ? 'table' : 'table record-table'
  const rows = list.data && (parts.rows ?? list.data.data)
  const next = list.data?.pagination.next_cursor ?? ''
  const around = isInset ? '' : 'page'
  return (
    <>
      {list.isError && rows === undefined && (
        <div className={around}>
          <Failure what={`${name} could not be loaded.`} error={list.error} onRetry={() => void list.refetch()} />
        </div>
      )}
      {list.isPending && <SkeletonRows rows={isInset ? 3 : 10} />}
      {rows?.length === 0 && (
        <div className={around}>
          {parts.filter ? (
            <Emptiness
              title={parts.noMatch ?? 'Nothing matches.'}
              action={parts.onClear && <Button onClick={parts.onClear}>Clear filters</Button>}
            >
              {parts.filter}
            </Emptiness>
          ) : (
            empty
          )}
        </div>
      )}
      {rows !== undefined && rows.length > 0 && (
        <Scroller
          isList={!isInset}
          name={name}
          className={`${isInset ? '' : 'bleed'} ${list.isPlaceholderData ? 'old' : ''}`}
        >
          <table className={`${layout} ${isInset ? '' : 'bottom-line'} ${className}`}>{parts.children(rows)}</table>
        </Scroller>
      )}
      {rows !== undefined && rows.length > 0 && foot?.({ shown: rows.length, next })}
      {rows !== undefined && onNext && !foot && (
        <CursorPaging current={after} next={next} shown={rows.length} onNext={onNext} onNear={parts.onNear} />
      )}
    </>
  )
}
