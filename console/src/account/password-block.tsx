import { Button, Modal, PasswordInput } from '@mantine/core'
import type { ConsoleSession, SignInState } from '@muster/contract/console.ts'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { request } from '../api/request.ts'
import { renewSession, useSession } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { CodeField } from '../components/code-field.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Block } from '../components/section-frame.tsx'
import { accountQuery } from './account-query.ts'

export function PasswordBlock({ state }: { state: SignInState }) {
  const [isOpen, setIsOpen] = useState(false)
  const { password_changed_at: changedAt } = state
  if (changedAt === null) {
    return (
      <Block
        title="Password"
        about="You sign in without a password. To get one, ask an administrator with full access for a link."
      />
    )
  }
  return (
    <Block
      title="Password"
      about={
        <>
          Chosen <RelativeTime time={changedAt} />. Changing it ends your other sessions.
        </>
      }
      action={<Button onClick={() => setIsOpen(true)}>Change the password…</Button>}
    >
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title="Change the password" withCloseButton={false}>
        <PasswordForm onClose={() => setIsOpen(false)} />
      </Modal>
    </Block>
  )
}

function PasswordForm({ onClose }: { onClose: () => void }) {
  const session = useSession()
  const change = useAction({
    act: (body: Readonly<Record<string, string>>) =>
      request<ConsoleSession>('/session/password', { method: 'POST', body }),
    refresh: [accountQuery.queryKey],
    said: () => 'Password changed; your other sessions have ended',
    onDone: (renewed) => {
      renewSession(renewed)
      onClose()
    },
    hasForm: true,
  })
  const codeIsAsked = change.error instanceof ApiError && change.error.code === 'code_needed'
  const [needsCode, setNeedsCode] = useState(false)
  if (codeIsAsked && !needsCode) setNeedsCode(true)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)] as const)
    change.mutate(Object.fromEntries(given.filter(([, value]) => value !== '')))
  }
  return (
    <form onSubmit={submit} className="confirm">
      <input type="hidden" autoComplete="username" value={session?.administrator.email ?? ''} />
      <PasswordInput
        name="password"
        label="Current password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        data-autofocus
        visibilityToggleButtonProps={{ 'aria-label': 'Show the current password' }}
      />
      {needsCode && <CodeField />}
      <PasswordInput
        name="new_password"
        label="New password"
        description="12 characters or more; a few words are best."
        autoComplete="new-password"
        required
        withAsterisk={false}
        error={change.faultOf('new_password')}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the new password' }}
      />
      <FormFault error={codeIsAsked ? null : change.faultBeside('new_password')} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={change.isPending}>
          Change the password
        </Button>
      </div>
    </form>
  )
}
