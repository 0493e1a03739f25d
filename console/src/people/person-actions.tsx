import { Button } from '@mantine/core'
import type { Person } from '@muster/contract/people.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { MoreActions } from '../components/more-actions.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { DeprovisionDialog } from './deprovision-dialog.tsx'
import { personDetailQuery } from './person-queries.ts'

type Parts = { readonly person: Person }

/** What can be done with a person whom SCIM does not provide. */
export function PersonActions({ person }: Parts) {
  const detail = useQuery(personDetailQuery(person.id))
  const mayManage = useMay('manage_people')
  const [isAsked, setAsked] = useState(false)
  if (!mayManage || !detail.data || detail.data.is_provided) return null
  if (detail.data.deprovisioned_at !== null) return <Restoring person={person} />
  const deprovision = { text: 'Deprovision…', isDangerous: true, run: () => setAsked(true) }
  return (
    <>
      <MoreActions verbs={[deprovision]} />
      {isAsked && (
        <DeprovisionDialog
          person={person}
          isAdministrator={detail.data.is_administrator}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}

function Restoring({ person }: Parts) {
  const restore = useAction({
    act: () => api('restorePerson', { params: { id: person.id } }),
    refresh: ['people', 'deprovisioned_people', 'audit'],
    said: () => `${visibleText(person.name)} is active again, without devices`,
  })
  return (
    <Button onClick={() => restore.mutate()} loading={restore.isPending}>
      Restore
    </Button>
  )
}
