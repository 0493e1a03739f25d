import { Button, Modal, PasswordInput } from '@mantine/core'
import type { ConsoleSession } from '@muster/contract/console.ts'
import type { InputOf } from '@muster/contract/operations/all-operations.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { signByPasskey } from '../api/passkeys.ts'
import { renewSession, useSession } from '../api/session.ts'
import { endProof, useIsProofWanted } from '../api/step-up.ts'
import { CodeField } from '../components/code-field.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { readForm } from '../components/read-form.ts'

/** Dialogs of pages are at Mantine's 200, and may be drawn later than this one. */
const aboveDialogs = 300

/** Asks who someone is before secrets and access are touched; what waited for it continues by itself. */
export function StepUpDialog() {
  const isWanted = useIsProofWanted()
  return (
    // Without Mantine's header: a dialog below has one already, and two are two banners to screen readers.
    <Modal.Root
      opened={isWanted}
      onClose={() => endProof(false)}
      centered
      lockScroll={false}
      radius="xl"
      zIndex={aboveDialogs}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body className="headless">
          <Modal.Title>Confirm it’s you</Modal.Title>
          {isWanted && <ProofForm />}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

function ProofForm() {
  const session = useSession()
  const [needsCode, setNeedsCode] = useState(false)
  const options = useQuery({
    queryKey: ['session', 'options'],
    queryFn: ({ signal }) => api('getSignInOptions', { signal }),
  })
  const end = (renewed: ConsoleSession) => {
    renewSession(renewed)
    endProof(true)
  }
  const prove = useMutation({
    mutationFn: (body: InputOf<'stepUp'>['body']) => api('stepUp', { body }),
    onSuccess: end,
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'code_needed') setNeedsCode(true)
    },
  })
  const passkey = useMutation({
    mutationFn: async () => api('stepUpByPasskey', { body: await signByPasskey() }),
    onSuccess: end,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { text, optional } = readForm(event.currentTarget)
    prove.mutate({ password: text('password'), code: optional('code') })
  }
  const error = prove.error ?? passkey.error
  const isAsking = error instanceof ApiError && error.code === 'code_needed'
  return (
    <form onSubmit={submit} className="confirm">
      <p className="t2">You won’t be asked again for 5 minutes.</p>
      <input type="hidden" autoComplete="username" value={session?.administrator.email ?? ''} />
      <PasswordInput
        name="password"
        label="Password"
        autoComplete="current-password"
        data-autofocus
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
      />
      {needsCode && <CodeField />}
      <FormFault error={error && !isAsking ? error.message : null} />
      {options.data?.identity_provider && (
        <p className="sm t3">
          No password here?{' '}
          <a className="u" href="/console/api/session/oidc/start?fresh=true">
            Sign in with {options.data.identity_provider} again
          </a>
          , then repeat this.
        </p>
      )}
      <div className="dialog-ends">
        <Button onClick={() => endProof(false)}>Cancel</Button>
        {options.data?.passkeys && (
          <Button onClick={() => passkey.mutate()} loading={passkey.isPending}>
            Use a passkey
          </Button>
        )}
        <Button type="submit" variant="filled" loading={prove.isPending}>
          Confirm
        </Button>
      </div>
    </form>
  )
}
