import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { Page } from '../components/page.tsx'
import { RecordNotices } from '../components/record-page.tsx'
import { visibleText } from '../components/visible-text.ts'
import type { RequestView } from './decision-dialog.tsx'
import { RequestItem } from './request-item.tsx'
import './requests.css'

const exemptionRoute = getRouteApi('/shell/requests/exemptions/$requestId')
const registrationRoute = getRouteApi('/shell/requests/registrations/$requestId')

export function ExemptionRequestPage() {
  const { requestId } = exemptionRoute.useParams()
  return (
    <RequestPage
      kind="exemption"
      id={requestId}
      query={useQuery(query('getExemptionRequestView', { params: { id: requestId } }))}
    />
  )
}

export function RegistrationRequestPage() {
  const { requestId } = registrationRoute.useParams()
  return (
    <RequestPage
      kind="registration"
      id={requestId}
      query={useQuery(query('getRegistrationRequestView', { params: { id: requestId } }))}
    />
  )
}

type Parts = {
  readonly kind: 'exemption' | 'registration'
  readonly id: string
  readonly query: UseQueryResult<RequestView>
}

const crumbs = {
  exemption: { to: '/requests/exemptions', text: 'Exemption requests' },
  registration: { to: '/requests/registrations', text: 'Registration requests' },
} as const

/** One request, so that it can be passed on by its address. */
function RequestPage({ kind, id, query }: Parts) {
  const title = query.data ? `Request of ${visibleText(query.data.requester.name)}` : `Request ${id}`
  return (
    <Page title={title} crumb={crumbs[kind]}>
      <div className="page">
        <RecordNotices record={query} noun="request" id={id} why="Its device may have been deleted." />
        {query.data && (
          <ul className="requests">
            <RequestItem kind={kind} asked={query.data} isChosen={undefined} isSelecting={false} onChoose={() => {}} />
          </ul>
        )}
      </div>
    </Page>
  )
}
