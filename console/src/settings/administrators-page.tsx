import { Button } from '@mantine/core'
import type { AdministratorLink } from '@muster/contract/console.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../api/session.ts'
import { FilterChip } from '../components/filter-chip.tsx'
import { ListBody } from '../components/list-body.tsx'
import { Emptiness } from '../components/notices.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { accessWords } from './access-words.ts'
import {
  type AdministratorFilters,
  administratorFilterOf,
  administratorFiltersInWords,
  readAdministratorFilters,
} from './administrator-filters.ts'
import { AdministratorTable } from './administrator-table.tsx'
import { administratorsQuery } from './administrators-query.ts'
import { InvitationDialog } from './invitation-dialog.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { SettingsFrame } from './settings-frame.tsx'

const route = getRouteApi('/shell/settings/admins')
const accesses = Object.entries(accessWords).map(([value, text]) => ({ value, text }))

export function AdministratorsPage() {
  const [isInviting, setIsInviting] = useState(false)
  const [link, setLink] = useState<AdministratorLink | undefined>()
  const mayManage = useMay('manage_administrators')
  return (
    <SettingsFrame
      title="Administrators"
      lead="Who can use this console, and what they can do."
      power="manage_administrators"
      isWide
      actions={
        mayManage && (
          <Button variant="filled" onClick={() => setIsInviting(true)}>
            Invite…
          </Button>
        )
      }
    >
      <List />
      <InvitationDialog
        isOpen={isInviting}
        onClose={() => setIsInviting(false)}
        onLink={(made) => {
          setIsInviting(false)
          setLink(made)
        }}
      />
      <LinkDialog link={link} onClose={() => setLink(undefined)} />
    </SettingsFrame>
  )
}

function List() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(administratorsQuery(administratorFilterOf(filters), filters.after))
  const show = (search: AdministratorFilters, replace = false) => void navigate({ search, replace })
  const { after: _after, ...kept } = filters
  return (
    <>
      <search className="filterbar inset">
        <SearchBox
          value={filters.q ?? ''}
          placeholder="Name or e-mail"
          onChange={(q) => show(readAdministratorFilters({ ...kept, q }), true)}
        />
        <FilterChip
          field="Access"
          isSingle
          options={accesses}
          chosen={filters.access ? [filters.access] : []}
          onChange={([access]) => show(readAdministratorFilters({ ...kept, access }))}
        />
        <FilterChip
          field="Second factor"
          isSingle
          options={[{ value: 'missing', text: 'Missing' }]}
          chosen={filters.factor ? [filters.factor] : []}
          onChange={([factor]) => show(readAdministratorFilters({ ...kept, factor }))}
        />
      </search>
      <ListBody
        list={list}
        name="Administrators"
        filter={administratorFiltersInWords(filters)}
        noMatch="No administrators match."
        onClear={() => show({})}
        empty={<Emptiness title="No administrators yet." />}
        after={filters.after}
        onNext={(after) => show({ ...kept, after })}
        isInset
      >
        {(rows) => <AdministratorTable rows={rows} />}
      </ListBody>
    </>
  )
}
