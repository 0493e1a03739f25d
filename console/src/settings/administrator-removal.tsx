import { Button } from '@mantine/core'
import type { AdminUser } from '@muster/contract/admin-users.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { besideAfter } from '../components/form-fault.tsx'
import { Block } from '../components/section-frame.tsx'
import { useAction } from '../components/use-action.ts'
import { nameOf } from './administrator-table.tsx'

export function AdministratorRemoval({ admin, isSelf }: { readonly admin: AdminUser; readonly isSelf: boolean }) {
  const [isAsking, setIsAsking] = useState(false)
  const navigate = useNavigate()
  const remove = useAction({
    act: () => api('removeAdministrator', { params: { id: admin.id } }),
    said: () => `${nameOf(admin)} is no longer an administrator`,
    onDone: () => void navigate({ to: '/settings/admins' }),
    refresh: ['listAdministratorViews'],
    hasForm: true,
  })
  const whole = remove.faultOf('id')
  return (
    <Block
      title="Remove"
      about="They can no longer sign in. Their audit log entries stay."
      action={<Button onClick={() => setIsAsking(true)}>Remove…</Button>}
    >
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => {
          setIsAsking(false)
          remove.reset()
        }}
        question={`Remove ${nameOf(admin)}?`}
        consequences={[
          isSelf ? 'This is you: you are signed out and cannot sign in again.' : 'Their sessions end immediately.',
          'Their password, passkeys and links are gone. To let them in again, invite them again.',
        ]}
        stays="API keys they are responsible for keep working."
        verb={`Remove ${nameOf(admin)}`}
        onConfirm={() => remove.mutate()}
        isBusy={remove.isPending}
        fault={besideAfter(whole && `${nameOf(admin)} ${whole}.`, remove.faultBeside)}
      />
    </Block>
  )
}
