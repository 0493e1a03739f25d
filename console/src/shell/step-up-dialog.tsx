import { Button, Modal, PasswordInput } from '@mantine/core'
import type { ConsoleSession, SignInOptions } from '@muster/contract/console.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { signByPasskey } from '../api/passkeys.ts'
import { request } from '../api/request.ts'
import { renewSession, useSession } from '../api/session.ts'
import { endProof, useIsProofWanted } from '../api/step-up.ts'
import { CodeField } from '../components/code-field.tsx'
import { FormFault } from '../components/form-fault.tsx'

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
    queryFn: ({ signal }) => request<SignInOptions>('/session/options', { signal }),
  })
  const end = (renewed: ConsoleSession) => {
    renewSession(renewed)
    endProof(true)
  }
  const prove = useMutation({
    mutationFn: (body: Readonly<Record<string, string>>) =>
      request<ConsoleSession>('/session/step_up', { method: 'POST', body }),
    onSuccess: end,
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'code_needed') setNeedsCode(true)
    },
  })
  const passkey = useMutation({
    mutationFn: async () =>
      request<ConsoleSession>('/session/passkey/step_up', { method: 'POST', body: await signByPasskey() }),
    onSuccess: end,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)] as const)
    prove.mutate(Object.fromEntries(given.filter(([, value]) => value !== '')))
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
