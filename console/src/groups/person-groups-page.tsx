import type { PersonGroupView } from '@muster/contract/console-groups.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { csvAddressOf } from '../api/api.ts'
import { query } from '../api/query.ts'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { type Column, Records } from '../components/records.tsx'
import { visibleText } from '../components/visible-text.ts'
import { readGroupFilters } from './group-queries.ts'
import { GroupTabs } from './group-tabs.tsx'

const route = getRouteApi('/shell/groups/people')

export function PersonGroupsPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const asked = { search: filters.q, per_page: 50, cursor: filters.after }
  const list = useQuery(query('listPersonGroupViews', { query: asked }, { pace: 'slow' }))
  return (
    <ListPage
      title="Person groups"
      name="Person groups"
      nouns={['group', 'groups']}
      tabs={<GroupTabs />}
      searched="Name"
      views="person_groups"
      file={csvAddressOf('listPersonGroupViews', { query: { search: filters.q } })}
      filters={filters}
      read={readGroupFilters}
      inWords={({ q }) => (q ? `Name contains “${q}”.` : '')}
      onShow={(search, isTyping = false) => void navigate({ search, replace: isTyping })}
      list={list}
      empty={
        <Emptiness title="No person groups yet." guide="scim">
          Groups come from the identity provider by SCIM, or by <code>muster groups create-person-group</code>.
        </Emptiness>
      }
    >
      {(groups) => <Records rows={groups} columns={columns} />}
    </ListPage>
  )
}

const columns: readonly Column<PersonGroupView>[] = [
  {
    text: 'Group',
    className: 'c-name',
    cell: ({ id, name }) => (
      <Link to="/groups/people/$groupId" params={{ groupId: id }} className="medium ellipsis" data-row-link>
        {visibleText(name)}
      </Link>
    ),
  },
  {
    text: 'Kept by',
    head: 'w-200',
    className: 'c-sub secondary',
    cell: ({ is_synced: isSynced }) => (isSynced ? 'Identity provider' : 'Muster'),
  },
  {
    text: 'People',
    head: 'numeric w-120',
    className: 'numeric c-lead',
    cell: ({ members_count: count }) => count.toLocaleString('en'),
  },
  {
    text: 'Devices that admit it',
    head: 'numeric w-200',
    className: 'numeric c-more',
    cell: ({ devices_count: count }) => count.toLocaleString('en'),
  },
]
