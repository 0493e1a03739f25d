import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { RowCount } from '@muster/contract/pagination.ts'
import type { SavedViewPage } from '@muster/contract/saved-views.ts'
import type { ComponentProps, ReactNode } from 'react'
import { ExportCsv } from './export-csv.tsx'
import { type ListFilters, ListView, type ListViewParts } from './list-view.tsx'
import { MissingPermission } from './missing-permission.tsx'
import { Page } from './page.tsx'
import { ViewBar } from './saved-views.tsx'

type Parts<Row, Filters extends ListFilters> = Omit<ListViewParts<Row, Filters>, 'isInset'> & {
  readonly title: string
  readonly crumb?: ComponentProps<typeof Page>['crumb']
  /** The list as a file, and how its rows are counted where that is worth it. */
  readonly file?: string
  readonly countRows?: () => Promise<RowCount>
  /** Beside the export. */
  readonly actions?: ReactNode
  /** Above the list. */
  readonly tabs?: ReactNode
  /** Whose saved views are shown. */
  readonly views?: SavedViewPage
  /** What the administrator lacks, instead of the list. */
  readonly lacks?: AdminPower
}

/** A page that is a list: its title, export, saved views, filters, rows and pages. */
export function ListPage<Row, Filters extends ListFilters>(parts: Parts<Row, Filters>) {
  const { title, crumb, file, countRows, actions, tabs, views, lacks, ...view } = parts
  const [one, many] = view.nouns
  return (
    <Page
      title={title}
      {...(crumb && { crumb })}
      actions={
        <>
          {file !== undefined && (
            <ExportCsv
              file={file}
              {...(countRows && { count: countRows })}
              filterInWords={view.inWords(view.filters)}
              one={one}
              many={many}
            />
          )}
          {actions}
        </>
      }
    >
      {tabs}
      {views !== undefined && <ViewBar page={views} />}
      {lacks === undefined ? (
        <ListView {...view} />
      ) : (
        <div className="page">
          <MissingPermission power={lacks} />
        </div>
      )}
    </Page>
  )
}
