import { Button, PasswordInput, TextInput } from '@mantine/core'
import type { ConsoleSession, SignInOptions } from '@muster/contract/console.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { ApiError } from '../api/api-error.ts'
import { request } from '../api/request.ts'
import { beginSession } from '../api/session.ts'
import { FormFault } from './form-fault.tsx'
import { Gate } from './gate.tsx'

const route = getRouteApi('/sign-in')

export function SignInPage() {
  const { next, ended } = route.useSearch()
  const router = useRouter()
  const options = useQuery({
    queryKey: ['session', 'options'],
    queryFn: ({ signal }) => request<SignInOptions>('/session/options', { signal }),
  })
  const signIn = useMutation({
    mutationFn: (body: Readonly<Record<string, string>>) =>
      request<ConsoleSession>('/session/sign_in', { method: 'POST', body }),
    onSuccess: (session) => {
      beginSession(session)
      router.history.push(next ?? '/console/')
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = ['email', 'password', 'organization'].map((name) => [name, String(form.get(name) ?? '')] as const)
    signIn.mutate(Object.fromEntries(given.filter(([, value]) => value !== '')))
  }
  return (
    <Gate title="Sign in">
      <p className="gate-lead">
        {ended ? 'Your session has ended. Sign in to go on where you were.' : 'Admin console'}
      </p>
      {options.data?.has_administrators === false && (
        <p className="note">
          Nobody can sign in yet. The terminal that runs the server has shown a link for the first administrator.
        </p>
      )}
      <form onSubmit={submit} className="gate-form">
        {options.data?.needs_organization && (
          <TextInput name="organization" label="Organization" description="Only if you administer several." />
        )}
        <TextInput
          name="email"
          type="email"
          label="E-mail"
          autoComplete="username"
          required
          withAsterisk={false}
          autoFocus
        />
        <PasswordInput
          name="password"
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        />
        <FormFault error={signIn.error && sentenceFor(signIn.error)} />
        <Button type="submit" variant="filled" fullWidth loading={signIn.isPending}>
          Sign in
        </Button>
      </form>
      <p className="sm t3">
        Locked out? Somebody with full access can send a link, or whoever runs the server can run{' '}
        <code>muster admin reset</code>.
      </p>
    </Gate>
  )
}

function sentenceFor(error: Error): string {
  if (!(error instanceof ApiError) || error.status !== 429) return error.message
  return `Too many failed tries. Try again in ${error.retryAfterSeconds ?? 60} seconds.`
}
