import { Button } from '@mantine/core'
import type { ConsoleSession } from '@muster/contract/console.ts'
import type { InputOf } from '@muster/contract/operations/all-operations.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { accountQuery } from '../api/account-query.ts'
import { api } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { signByPasskey } from '../api/passkeys.ts'
import { query } from '../api/query.ts'
import { renewSession, useSession } from '../api/session.ts'
import { endProof } from '../api/step-up.ts'
import { CodeField } from '../components/code-field.tsx'
import { fieldFaults } from '../components/field-faults.ts'
import { FormFault } from '../components/form-fault.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { readForm } from '../components/read-form.ts'

/** Proves by a password, with a code where there is an authenticator app, or by a passkey. */
export function ProofForm() {
  const session = useSession()
  const account = useQuery(accountQuery)
  const [needsCode, setNeedsCode] = useState(false)
  const options = useQuery(query('getSignInOptions'))
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
  const { faultOf, faultBeside } = fieldFaults(error)
  const isAsking = error instanceof ApiError && error.code === 'code_needed'
  return (
    <form onSubmit={submit} className="confirm">
      <p className="secondary">You won’t be asked again for 5 minutes.</p>
      <input type="hidden" autoComplete="username" value={session?.administrator.email ?? ''} />
      <PasswordField
        name="password"
        label="Password"
        autoComplete="current-password"
        autoFocus
        error={faultOf('password')}
      />
      {needsCode && <CodeField />}
      <FormFault error={isAsking ? null : faultBeside} />
      {options.data?.identity_provider && (
        <p className="small faint">
          No password here?{' '}
          <a className="underlined" href="/console/api/session/oidc/start?fresh=true">
            Sign in with {options.data.identity_provider} again
          </a>
          , then repeat this.
        </p>
      )}
      <div className="dialog-ends">
        <Button onClick={() => endProof(false)}>Cancel</Button>
        {options.data?.passkeys && account.data && account.data.passkeys.length > 0 && (
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
