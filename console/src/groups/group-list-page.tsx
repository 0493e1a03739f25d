import type { Pagination } from '@muster/contract/pagination.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ExportCsv } from '../components/export-csv.tsx'
import { ListBody } from '../components/list-body.tsx'
import { ViewBar } from '../components/saved-views.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { Page } from '../shell/page.tsx'
import { type GroupFilters, readGroupFilters } from './group-queries.ts'
import { GroupTabs } from './group-tabs.tsx'

type Parts<Group> = {
  readonly title: string
  /** "Name or description": what the search looks at. */
  readonly searched: string
  readonly page: 'device_groups' | 'person_groups'
  /** The address of the list as a file. */
  readonly file: string
  readonly actions?: ReactNode
  readonly filters: GroupFilters
  readonly onChange: (filters: GroupFilters, isTyping?: boolean) => void
  readonly list: UseQueryResult<{ readonly data: readonly Group[]; readonly pagination: Pagination }>
  /** What is shown while there is no group at all. */
  readonly empty: ReactNode
  /** Head and body of the table. */
  readonly children: (groups: readonly Group[]) => ReactNode
}

/** All groups of one kind. */
export function GroupListPage<Group>(parts: Parts<Group>) {
  const { title, searched, page, file, actions, filters, onChange, list, empty, children } = parts
  const filterInWords = filters.q ? `${searched} holds “${filters.q}”.` : ''
  return (
    <Page
      title={title}
      actions={
        <>
          <ExportCsv file={file} filterInWords={filterInWords} one="group" many={title.toLowerCase()} />
          {actions}
        </>
      }
    >
      <GroupTabs />
      <ViewBar page={page} />
      <search className="filterbar">
        <SearchBox
          value={filters.q ?? ''}
          placeholder={searched}
          onChange={(q) => onChange(readGroupFilters({ q }), true)}
        />
      </search>
      <ListBody
        list={list}
        name={title}
        filter={filterInWords}
        noMatch="No groups match."
        onClear={() => onChange({})}
        empty={empty}
        after={filters.after}
        onNext={(after) => onChange({ ...filters, after })}
      >
        {children}
      </ListBody>
    </Page>
  )
}
