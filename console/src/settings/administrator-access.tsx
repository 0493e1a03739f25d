import { Button } from '@mantine/core'
import type { AdminUser } from '@muster/contract/admin-users.ts'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { FormFault } from '../components/form-fault.tsx'
import { Block } from '../components/section-frame.tsx'
import { useAction } from '../components/use-action.ts'
import { AccessFields, type Rights } from './access-fields.tsx'
import { accessWords, rightsInWords } from './access-words.ts'
import { nameOf } from './administrator-table.tsx'

const inOrder = ({ access, restrictions }: Rights): string => JSON.stringify([access, [...restrictions].sort()])

export function AdministratorAccess({ admin }: { admin: AdminUser }) {
  const stored: Rights = { access: admin.access, restrictions: admin.restrictions }
  const [rights, setRights] = useState(stored)
  const change = useAction({
    act: (wanted: Rights) => api('updateAdministrator', { params: { id: admin.id }, body: wanted }),
    refresh: ['settings', 'session'],
    said: (_, wanted) =>
      `${nameOf(admin)} has ${accessWords[wanted.access].toLowerCase()} access, effective immediately`,
    undo: () => ({
      label: 'Undo',
      run: () => {
        setRights(stored)
        change.mutate(stored)
      },
    }),
    hasForm: true,
  })
  const isChanged = inOrder(rights) !== inOrder(stored)
  return (
    <Block title="What they may do">
      <form
        className="plain-form"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(rights)
        }}
      >
        <AccessFields
          rights={rights}
          onChange={setRights}
          fault={
            (change.faultOf('access') && `Access ${change.faultOf('access')}`) ??
            (change.faultOf('restrictions') && `Restrictions ${change.faultOf('restrictions')}`)
          }
        />
        <FormFault error={change.faultBeside} />
        {isChanged && (
          <div className="row">
            <Button onClick={() => setRights(stored)}>Discard</Button>
            <Button type="submit" variant="filled" loading={change.isPending}>
              {`Save: ${rightsInWords(stored)} → ${rightsInWords(rights)}`}
            </Button>
          </div>
        )}
      </form>
    </Block>
  )
}
