import { Button, PasswordInput, TextInput } from '@mantine/core'
import type { InputOf } from '@muster/contract/operations/all-operations.ts'
import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { api } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { queryClient } from '../api/query-client.ts'
import { beginSession, sessionQuery } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { readForm } from '../components/read-form.ts'
import { Mark } from '../components/state-shape.tsx'
import { toast } from '../components/toasts.tsx'

const shortest = 12

type Parts = {
  readonly token: string
  readonly isFirstRun: boolean
  readonly email: string | null
  readonly organization: string
}

/** What cannot be named now is named later, under Settings. */
async function nameOrganization(name: string): Promise<void> {
  await api('renameOrganization', { body: { name } }).catch((error: unknown) =>
    toast(`The organization was not renamed: ${error instanceof Error ? error.message : String(error)}`, 'cross'),
  )
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
}

type Accepted = Omit<InputOf<'acceptLink'>['body'], 'token'> & { readonly organization: string | undefined }

export function AcceptForm({ token, isFirstRun, email, organization }: Parts) {
  const router = useRouter()
  const form = useRef<HTMLFormElement>(null)
  const [length, setLength] = useState(0)
  const accept = useMutation({
    mutationFn: ({ organization: _name, ...body }: Accepted) => api('acceptLink', { body: { ...body, token } }),
    onSuccess: async (session, { organization: name = session.organization.name }) => {
      beginSession(session)
      if (name !== session.organization.name) await nameOrganization(name)
      // Replaces the address, whose fragment held the token.
      router.history.replace('/console/setup/second-factor')
    },
  })
  const faults = accept.error instanceof ApiError ? accept.error.faults : []
  const faultOf = (field: string) => faults.find((fault) => fault.field === field)?.message
  useEffect(() => {
    if (accept.isError) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [accept.isError])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { text, optional } = readForm(event.currentTarget)
    accept.mutate({
      password: text('password'),
      email: optional('email'),
      first_name: optional('first_name'),
      last_name: optional('last_name'),
      organization: optional('organization_name'),
    })
  }
  return (
    <form ref={form} onSubmit={submit} className="gate-form">
      {isFirstRun && (
        <>
          <TextInput
            name="organization_name"
            label="Organization"
            description="Owners of devices see this name."
            autoComplete="organization"
            defaultValue={organization}
            maxLength={200}
            required
            withAsterisk={false}
          />
          <div className="two">
            <TextInput
              name="first_name"
              label="First name"
              autoComplete="given-name"
              error={faultOf('first_name')}
              autoFocus
            />
            <TextInput
              name="last_name"
              label="Last name (optional)"
              autoComplete="family-name"
              error={faultOf('last_name')}
            />
          </div>
          <TextInput name="email" type="email" label="E-mail" autoComplete="username" error={faultOf('email')} />
        </>
      )}
      {!isFirstRun && email !== null && <input type="hidden" autoComplete="username" value={email} />}
      <PasswordInput
        name="password"
        label="Password"
        autoComplete="new-password"
        error={faultOf('password')}
        onChange={(event) => setLength(event.currentTarget.value.length)}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
      />
      <p className="sm t2 rule">
        <Mark name={length >= shortest ? 'tick' : 'pending'} />
        {length >= shortest
          ? `${shortest} characters or more`
          : `At least ${shortest} characters: ${shortest - length} more`}
      </p>
      <FormFault error={accept.error && faults.length === 0 ? accept.error.message : null} />
      <Button type="submit" variant="filled" fullWidth loading={accept.isPending}>
        {isFirstRun ? 'Create the account' : 'Save the password and sign in'}
      </Button>
    </form>
  )
}
