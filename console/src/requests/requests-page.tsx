import type { ExemptionRequestView, RegistrationRequestView } from '@muster/contract/console-issues.ts'
import type { ListOf } from '@muster/contract/operations/all-operations.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { csvAddressOf } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { waitingQuery } from '../api/waiting-query.ts'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { ExportCsv } from '../components/export-csv.tsx'
import { FilterChip } from '../components/filter-chip.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { ViewBar } from '../components/saved-views.tsx'
import { asTab, Tabs } from '../components/tabs.tsx'
import { DecisionBar } from './decision-bar.tsx'
import { listedBy, type RequestFilters, readRequestFilters, type StatusName, statuses } from './request-filters.ts'
import { isWaiting, RequestItem } from './request-item.tsx'
import '../components/list-body.css'
import './requests.css'

export const ExemptionRequestsPage = () => {
  const filters = readRequestFilters(useSearch({ strict: false }))
  const list = useQuery(query('listExemptionRequestViews', listedBy(filters), { pace: 'slow' }))
  return <Requests kind="exemption" filters={filters} list={list} />
}

export const RegistrationRequestsPage = () => {
  const filters = readRequestFilters(useSearch({ strict: false }))
  const list = useQuery(query('listRegistrationRequestViews', listedBy(filters), { pace: 'slow' }))
  return <Requests kind="registration" filters={filters} list={list} />
}

type View = ExemptionRequestView | RegistrationRequestView
type Kind = 'exemption' | 'registration'

type Parts = {
  readonly kind: Kind
  readonly filters: RequestFilters
  readonly list: UseQueryResult<ListOf<View>>
}

const empty: Readonly<Record<Kind, string>> = {
  exemption: 'When owners ask for an exemption at sign-in, it appears here.',
  registration: 'When people ask to register a device, it appears here.',
}

function Requests({ kind, filters, list }: Parts) {
  const navigate = useNavigate()
  const waiting = useQuery(waitingQuery)
  const rows = list.data?.data ?? []
  const path = kind === 'exemption' ? '/requests/exemptions' : '/requests/registrations'
  const show = (search: RequestFilters) => void navigate({ to: path, search })
  const status = filters.status ?? 'waiting'
  const mayDecide = useMay('manage_user_requests')
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const chosen = rows.filter((row) => isWaiting(row) && ids.has(row.id))
  const choose = (id: string, isOn: boolean) => {
    const next = new Set(ids)
    if (isOn) next.add(id)
    else next.delete(id)
    setIds(next)
  }
  const name = kind === 'exemption' ? 'exemption_requests' : 'registration_requests'
  const options = Object.entries(statuses).map(([value, text]) => ({ value, text }))
  return (
    <Page
      title={kind === 'exemption' ? 'Exemption requests' : 'Registration requests'}
      area="Requests"
      actions={
        <ExportCsv
          file={csvAddressOf(kind === 'exemption' ? 'listExemptionRequestViews' : 'listRegistrationRequestViews', {
            query: { status: status === 'all' ? undefined : status },
          })}
          filterInWords={status === 'all' ? '' : `The status is ${statuses[status]}.`}
          one="request"
          many={kind === 'exemption' ? 'exemption requests' : 'registration requests'}
        />
      }
    >
      <div className="tabs-bar">
        <Tabs label="Requests">
          <Link to="/requests/exemptions" {...asTab}>
            Exemptions <span className="count">{waiting.data?.exemptions}</span>
          </Link>
          <Link to="/requests/registrations" {...asTab}>
            Registrations <span className="count">{waiting.data?.registrations}</span>
          </Link>
        </Tabs>
      </div>
      <ViewBar page={name} />
      <search className="filterbar">
        <FilterChip
          isSingle
          field="Status"
          options={options}
          chosen={status === 'all' ? [] : [status]}
          onChange={([value]) => show({ status: (value ?? 'all') as StatusName })}
        />
      </search>
      {chosen.length > 0 && (
        <DecisionBar
          kind={kind}
          chosen={chosen}
          all={rows.filter(isWaiting)}
          onAll={(all) => setIds(new Set(all.map(({ id }) => id)))}
          onClear={() => setIds(new Set())}
        />
      )}
      <div className="page">
        {list.isError && !list.data && (
          <Failure what="Requests could not be loaded." error={list.error} onRetry={() => void list.refetch()} />
        )}
        {list.isPending && <SkeletonRows rows={3} />}
        {list.data && rows.length === 0 && (
          <Emptiness title={status === 'waiting' ? 'No requests are waiting.' : 'No requests match.'}>
            {status === 'waiting' || status === 'all' ? empty[kind] : `The status is ${statuses[status]}.`}
          </Emptiness>
        )}
        <ul className={list.isPlaceholderData ? 'requests old' : 'requests'}>
          {rows.map((row) => (
            <RequestItem
              key={row.id}
              kind={kind}
              asked={row}
              isChosen={mayDecide && isWaiting(row) ? ids.has(row.id) : undefined}
              isSelecting={chosen.length > 0}
              onChoose={(isOn) => choose(row.id, isOn)}
            />
          ))}
        </ul>
      </div>
      {list.data && (
        <CursorPaging
          current={filters.after ?? ''}
          next={list.data.pagination.next_cursor}
          shown={rows.length}
          onNext={(after) => show({ ...filters, after })}
        />
      )}
    </Page>
  )
}
