import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ListBody } from '../components/list-body.tsx'
import { Emptiness } from '../components/notices.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { visibleText } from '../components/visible-text.ts'
import { Page } from '../shell/page.tsx'
import { personGroupViewsQuery, readGroupFilters } from './group-queries.ts'
import { GroupTabs } from './group-tabs.tsx'

const route = getRouteApi('/shell/groups/people')

export function PersonGroupsPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(personGroupViewsQuery(filters))
  return (
    <Page title="Person groups">
      <GroupTabs />
      <search className="filterbar">
        <SearchBox
          value={filters.q ?? ''}
          placeholder="Name"
          onChange={(q) => void navigate({ search: readGroupFilters({ q }), replace: true })}
        />
      </search>
      <ListBody
        list={list}
        name="Person groups"
        filter={filters.q ? `Name holds “${filters.q}”.` : ''}
        noMatch="No group matches."
        onClear={() => void navigate({ search: {} })}
        empty={
          <Emptiness title="No person group yet.">
            Groups come from the identity provider by SCIM, or by <code>muster groups create-person-group</code>.
          </Emptiness>
        }
        after={filters.after}
        onNext={(after) => void navigate({ search: { ...filters, after } })}
      >
        {(rows) => (
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
              {rows.map((group) => (
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
      </ListBody>
    </Page>
  )
}
