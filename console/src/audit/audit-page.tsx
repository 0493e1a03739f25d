import { auditActions } from '@muster/contract/audit-actions.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { countOf, csvAddressOf } from '../api/api.ts'
import { countQuery } from '../api/query.ts'
import './audit.css'
import { queryClient } from '../api/query-client.ts'
import { ListPage } from '../components/list-page.tsx'
import { onlyChip, optionsOf } from '../components/list-view.tsx'
import { Emptiness } from '../components/notices.tsx'
import {
  aboutInWords,
  actorWords,
  auditFilterOf,
  auditFiltersInWords,
  auditViewsQuery,
  readAuditFilters,
  sinceWords,
} from './audit-queries.ts'
import { AuditTable } from './audit-table.tsx'
import { ChainLine } from './chain-line.tsx'

const route = getRouteApi('/shell/audit')

const actions = optionsOf(auditActions).sort((one, other) => one.text.localeCompare(other.text))

const chips = [
  { field: 'By', name: 'actor', options: optionsOf(actorWords) },
  { field: 'Action', name: 'action', options: actions },
  { field: 'Within', name: 'since', options: optionsOf(sinceWords) },
]

export function AuditPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const filter = auditFilterOf(filters)
  const list = useQuery(auditViewsQuery(filter, filters.after))
  const count = useQuery(
    countQuery('listAuditViews', { query: filter }, { placeholderData: keepPreviousData, pace: 'usual' }),
  )
  const { about } = filters
  return (
    <ListPage
      title="Audit log"
      name="Audit log"
      nouns={['entry', 'entries']}
      tabs={<ChainLine />}
      views="audit"
      file={csvAddressOf('listAuditViews', { query: filter })}
      countRows={() => countOf('listAuditViews', { query: filter })}
      list={list}
      isCounted
      count={count.data?.count}
      filters={filters}
      read={readAuditFilters}
      inWords={auditFiltersInWords}
      onShow={(search, isTyping = false) => void navigate({ search, replace: isTyping })}
      onNear={({ after }) => void queryClient.prefetchQuery(auditViewsQuery(filter, after))}
      searched="Action or actor"
      chips={[...chips, ...onlyChip('About', 'about', about, about && aboutInWords(about))]}
      empty={
        <Emptiness title="No entries yet." guide="audit-log">
          Every change and every revealed secret is recorded here.
        </Emptiness>
      }
    >
      {(rows) => <AuditTable rows={rows} />}
    </ListPage>
  )
}
