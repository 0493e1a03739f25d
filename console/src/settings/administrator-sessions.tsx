import { Button } from '@mantine/core'
import type { AdminUser } from '@muster/contract/admin-users.ts'
import type { SignInState } from '@muster/contract/console.ts'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Block } from '../components/section-frame.tsx'
import { SessionTable } from '../components/session-table.tsx'
import { useAction } from '../components/use-action.ts'
import { nameOf } from './administrator-table.tsx'

type Parts = { readonly admin: AdminUser; readonly sessions: SignInState['sessions'] }

export function AdministratorSessions({ admin, sessions }: Parts) {
  const [isAsking, setIsAsking] = useState(false)
  const end = useAction({
    act: () => api('endAdministratorSessions', { params: { id: admin.id } }),
    refresh: ['settings'],
    said: () => `${nameOf(admin)} is signed out everywhere`,
    onDone: () => setIsAsking(false),
  })
  const count = sessions.length
  return (
    <Block
      title="Sessions"
      {...(count === 0 && { about: 'No active sessions.' })}
      action={count > 0 && <Button onClick={() => setIsAsking(true)}>End all…</Button>}
    >
      {count > 0 && <SessionTable sessions={sessions} />}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        question={`Sign ${nameOf(admin)} out everywhere?`}
        consequences={[`${count === 1 ? '1 session ends' : `${count} sessions end`} at the next click.`]}
        stays="They can sign in again as before."
        verb="End all sessions"
        onConfirm={() => end.mutate()}
        isBusy={end.isPending}
      />
    </Block>
  )
}
