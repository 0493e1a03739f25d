import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { addressOf } from '../api/api.ts'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { visibleText } from '../components/visible-text.ts'
import { personGroupViewsQuery, readGroupFilters } from './group-queries.ts'
import { GroupTabs } from './group-tabs.tsx'

const route = getRouteApi('/shell/groups/people')

export function PersonGroupsPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(personGroupViewsQuery(filters))
  return (
    <ListPage
      title="Person groups"
      name="Person groups"
      nouns={['group', 'groups']}
      tabs={<GroupTabs />}
      searched="Name"
      views="person_groups"
      file={addressOf('exportPersonGroups', { query: { search: filters.q } })}
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
      {(groups) => (
        <>
          <thead>
            <tr>
              <th>Group</th>
              <th className="w-200">Kept by</th>
              <th className="num w-120">People</th>
              <th className="num w-200">Devices that admit it</th>
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => (
              <tr key={group.id}>
                <td className="c-name">
                  <Link to="/groups/people/$groupId" params={{ groupId: group.id }} className="m ell" data-row-link>
                    {visibleText(group.name)}
                  </Link>
                </td>
                <td className="c-sub t2">{group.is_synced ? 'Identity provider' : 'Muster'}</td>
                <td className="num c-lead">{group.members_count.toLocaleString('en')}</td>
                <td className="num c-more">{group.devices_count.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </>
      )}
    </ListPage>
  )
}
