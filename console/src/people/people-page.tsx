import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { countOf, csvAddressOf } from '../api/api.ts'
import { countQuery } from '../api/query.ts'
import { queryClient } from '../api/query-client.ts'
import { useMay } from '../api/session.ts'
import { ListPage } from '../components/list-page.tsx'
import { optionsOf } from '../components/list-view.tsx'
import { Emptiness } from '../components/notices.tsx'
import { asTab, Tabs } from '../components/tabs.tsx'
import { AddPersonDialog } from './add-person-dialog.tsx'
import {
  deviceChoices,
  personFilterOf,
  personFiltersInWords,
  personViewsQuery,
  readPersonFilters,
} from './person-queries.ts'
import { PersonTable } from './person-table.tsx'

export const PeoplePage = () => <People status="active" path="/people" />
export const DeprovisionedPage = () => <People status="deprovisioned" path="/people/deprovisioned" />

type Parts = { readonly status: 'active' | 'deprovisioned'; readonly path: '/people' | '/people/deprovisioned' }

const chips = [{ field: 'Devices', name: 'devices', options: optionsOf(deviceChoices) }]

function People({ status, path }: Parts) {
  const filters = readPersonFilters(useSearch({ strict: false }))
  const navigate = useNavigate()
  const filter = personFilterOf(filters, status)
  const list = useQuery(personViewsQuery(filter, filters.after))
  const count = useQuery(
    countQuery('listPersonViews', { query: filter }, { placeholderData: keepPreviousData, pace: 'slow' }),
  )
  const isGone = status === 'deprovisioned'
  return (
    <ListPage
      title={isGone ? 'Deprovisioned people' : 'People'}
      name="People"
      nouns={['person', 'people']}
      {...(isGone ? { crumb: { to: '/people', text: 'People' } } : { views: 'people', chips })}
      file={csvAddressOf('listPersonViews', { query: filter })}
      countRows={() => countOf('listPersonViews', { query: filter })}
      actions={!isGone && <AddPerson />}
      tabs={<StatusTabs />}
      list={list}
      isCounted
      count={count.data?.count}
      filters={filters}
      read={readPersonFilters}
      inWords={personFiltersInWords}
      onShow={(search, isTyping = false) => void navigate({ to: path, search, replace: isTyping })}
      onNear={({ after }) => void queryClient.prefetchQuery(personViewsQuery(filter, after))}
      searched="Name or e-mail"
      empty={isGone ? <NobodyLeft /> : <NobodyYet />}
    >
      {(rows) => <PersonTable rows={rows} isDeprovisioned={isGone} />}
    </ListPage>
  )
}

function AddPerson() {
  const mayManage = useMay('manage_people')
  const [isOpen, setIsOpen] = useState(false)
  if (!mayManage) return null
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Add person…</Button>
      {isOpen && <AddPersonDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}

const StatusTabs = () => (
  <div className="tabs-bar">
    <Tabs label="People">
      <Link to="/people" {...asTab}>
        Active
      </Link>
      <Link to="/people/deprovisioned" {...asTab}>
        Deprovisioned
      </Link>
    </Tabs>
  </div>
)

const NobodyLeft = () => (
  <Emptiness title="Nobody was deprovisioned.">
    Who leaves, by your identity provider or by you, appears here; their sign-ins and audit entries stay.
  </Emptiness>
)

const NobodyYet = () => (
  <Emptiness title="No people yet." guide="scim">
    People come from your identity provider by SCIM, or you add them here.
  </Emptiness>
)
