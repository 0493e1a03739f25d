import { Button, Modal } from '@mantine/core'
import type { SignInState } from '@muster/contract/console.ts'
import type { InputOf } from '@muster/contract/operations/all-operations.ts'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { renewSession, useSession } from '../api/session.ts'
import { CodeField } from '../components/code-field.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { readForm } from '../components/read-form.ts'
import { RelativeTime } from '../components/relative-time.tsx'
import { Block } from '../components/section-frame.tsx'
import { useAction } from '../components/use-action.ts'

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
    act: (body: InputOf<'changePassword'>['body']) => api('changePassword', { body }),
    refresh: ['account'],
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
    const { text, optional } = readForm(event.currentTarget)
    change.mutate({ password: text('password'), new_password: text('new_password'), code: optional('code') })
  }
  return (
    <form onSubmit={submit} className="confirm">
      <input type="hidden" autoComplete="username" value={session?.administrator.email ?? ''} />
      <PasswordField name="password" label="Current password" autoComplete="current-password" required data-autofocus />
      {needsCode && <CodeField />}
      <PasswordField
        name="new_password"
        label="New password"
        description="12 characters or more; a few words are best."
        autoComplete="new-password"
        required
        error={change.faultOf('new_password')}
      />
      <FormFault error={codeIsAsked ? null : change.faultBeside} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={change.isPending}>
          Change the password
        </Button>
      </div>
    </form>
  )
}
