import { Button } from '@mantine/core'
import type { PersonGroupView } from '@muster/contract/console-groups.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { ListView } from '../components/list-view.tsx'
import { visibleText } from '../components/visible-text.ts'
import { personViewsQuery } from '../people/person-queries.ts'
import { PersonTable } from '../people/person-table.tsx'
import { AddMembersDialog } from './add-members-dialog.tsx'
import { GroupPage } from './group-page.tsx'
import { readGroupFilters } from './group-queries.ts'
import { useTakeOut } from './membership.tsx'

const route = getRouteApi('/shell/groups/people/$groupId')
const crumb = { to: '/groups/people', text: 'Person groups' } as const

export function PersonGroupPage() {
  const { groupId } = route.useParams()
  const group = useQuery(query('getPersonGroupView', { params: { id: groupId } }, { pace: 'slow' }))
  const [isAdding, setIsAdding] = useState(false)
  const mayChange = useMay('update_devices') && group.data?.is_synced === false
  return (
    <GroupPage
      group={group}
      id={groupId}
      crumb={crumb}
      count={group.data?.members_count}
      one="person"
      many="people"
      note={group.data?.is_synced ? 'Managed by the identity provider. Change its members there.' : ''}
      actions={
        mayChange && (
          <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setIsAdding(true)}>
            Add people
          </Button>
        )
      }
    >
      {group.data && <Members group={group.data} mayChange={mayChange} />}
      {isAdding && group.data && (
        <AddMembersDialog
          kind="people"
          groupId={groupId}
          groupName={visibleText(group.data.name)}
          onClose={() => setIsAdding(false)}
        />
      )}
    </GroupPage>
  )
}

function Members({ group, mayChange }: { group: PersonGroupView; mayChange: boolean }) {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const filter = { group_id: group.id, ...(filters.q !== undefined && { search: filters.q }) }
  const list = useQuery(personViewsQuery(filter, filters.after))
  const params = { groupId: group.id }
  const takeOut = useTakeOut({
    add: (id) => api('addPersonGroupMembers', { params, body: { person_ids: [id] } }),
    remove: (id) => api('removePersonGroupMembers', { params, body: { person_ids: [id] } }),
    refresh: ['person_groups', 'people'],
  })
  return (
    <ListView
      list={list}
      name="People of the group"
      nouns={['person in the group', 'people in the group']}
      filters={filters}
      read={readGroupFilters}
      inWords={({ q }) => (q ? `Name or e-mail contains “${q}”.` : '')}
      onShow={(search, isTyping = false) => void navigate({ search, replace: isTyping })}
      searched="Name or e-mail"
      empty={<p className="secondary">Nobody is in this group.</p>}
    >
      {(rows) => <PersonTable rows={rows} {...(mayChange && { end: takeOut })} />}
    </ListView>
  )
}
