import { Button, TextInput } from '@mantine/core'
import type { InputOf } from '@muster/contract/operations/all-operations.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { addressOf, api } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { signByPasskey } from '../api/passkeys.ts'
import { query } from '../api/query.ts'
import { beginSession } from '../api/session.ts'
import { CodeField } from '../components/code-field.tsx'
import { type FieldFaults, fieldFaults } from '../components/field-faults.ts'
import { type Beside, FormFault } from '../components/form-fault.tsx'
import { Icon } from '../components/icon.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { readForm } from '../components/read-form.ts'
import { blank, useCheckedForm } from '../components/use-checked-form.ts'
import { Gate } from './gate.tsx'
import { returnAddress } from './return-address.ts'

const route = getRouteApi('/sign-in')

export function SignInPage() {
  const { next, ended } = route.useSearch()
  const router = useRouter()
  const options = useQuery(query('getSignInOptions'))
  const signIn = useMutation({
    mutationFn: (body: InputOf<'signIn'>['body']) => api('signIn', { body }),
    onError: (error) => {
      const isAsking = error instanceof ApiError && error.code === 'code_needed'
      setIsFirstAsk(isAsking && !needsCode)
      if (isAsking) setNeedsCode(true)
    },
    onSuccess: (session) => {
      beginSession(session)
      router.history.push(returnAddress(next))
    },
  })
  const passkey = useMutation({
    mutationFn: async () => api('signInByPasskey', { body: await signByPasskey() }),
    onMutate: () => signIn.reset(),
    onSuccess: (session) => {
      beginSession(session)
      router.history.push(returnAddress(next))
    },
  })
  const [organization, setOrganization] = useState('')
  const [needsCode, setNeedsCode] = useState(false)
  const [isFirstAsk, setIsFirstAsk] = useState(false)
  const refused = fieldFaults(signIn.error)
  const { form, faultOf, isFine } = useCheckedForm({ error: signIn.error, ...refused })
  const provider = options.data?.identity_provider
  const hasPasskeys = options.data?.passkeys === true
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    passkey.reset()
    const { text, optional } = readForm(event.currentTarget)
    const asked = { email: text('email'), password: text('password') }
    if (
      !isFine({
        email: asked.email.trim() === '' ? blank : undefined,
        password: asked.password === '' ? blank : undefined,
      })
    )
      return
    signIn.mutate({ ...asked, organization: optional('organization'), code: optional('code') })
  }
  return (
    <Gate title="Sign in">
      <p className="gate-lead">
        {ended ? 'Your session has ended. Sign in to continue where you were.' : 'Admin console'}
      </p>
      {options.data?.has_administrators === false && (
        <p className="note">
          No administrators yet. The terminal that runs the server shows a link to create the first one.
        </p>
      )}
      <OidcFault />
      {(provider || hasPasskeys) && (
        <>
          <div className="gate-ways">
            {provider && (
              <Button
                component="a"
                href={addressOf('startIdentityProviderSignIn', { query: { organization } })}
                fullWidth
                leftSection={<Icon name="signIn" />}
              >
                Continue with {provider}
              </Button>
            )}
            {hasPasskeys && (
              <Button
                fullWidth
                leftSection={<Icon name="fingerprint" />}
                loading={passkey.isPending}
                onClick={() => passkey.mutate()}
              >
                Use a passkey
              </Button>
            )}
            <FormFault error={besideOf(passkey.error, fieldFaults(passkey.error))} />
          </div>
          <p className="gate-or">or with a password</p>
        </>
      )}
      <form {...form} onSubmit={submit} className="gate-form">
        {options.data?.needs_organization && (
          <TextInput
            name="organization"
            label="Organization"
            description="Only if you administer several."
            value={organization}
            maxLength={200}
            onChange={(event) => setOrganization(event.currentTarget.value)}
          />
        )}
        <TextInput
          name="email"
          type="email"
          label="E-mail"
          autoComplete="username"
          required
          withAsterisk={false}
          error={faultOf('email')}
          autoFocus
        />
        <PasswordField
          name="password"
          label="Password"
          autoComplete="current-password"
          required
          error={faultOf('password')}
        />
        {needsCode && <CodeField />}
        <FormFault error={isFirstAsk ? null : besideOf(signIn.error, refused)} />
        <Button type="submit" variant="filled" fullWidth loading={signIn.isPending}>
          Sign in
        </Button>
      </form>
      <p className="small faint">
        Locked out? An administrator with full access can send you a link, or the server operator can run{' '}
        <code>muster admins reset</code>.
      </p>
    </Gate>
  )
}

function besideOf(error: Error | null, { faultBeside }: Pick<FieldFaults, 'faultBeside'>): Beside {
  if (!(error instanceof ApiError) || error.status !== 429) return faultBeside
  return `Too many failed attempts. Try again in ${error.retryAfterSeconds ?? 60} seconds.`
}

const oidcReasons: Readonly<Record<string, string>> = {
  unknown:
    'No administrator has the e-mail address that your identity provider sent, or several organizations have one: enter the organization.',
  unverified:
    'Your identity provider does not say that this e-mail address is verified. Entra: add the optional claim xms_edov.',
  deprovisioned:
    'You are deprovisioned in Muster, so you cannot sign in to the console. Ask an administrator to restore you.',
  refused: 'Your identity provider refused the sign-in.',
  expired: 'Signing in took too long. Try again.',
  unavailable: 'The identity provider did not answer. Try again, or use your password.',
}

/** Why the way back from the identity provider ended here. */
function OidcFault() {
  const [reason] = useState(() => /^#oidc=(\w+)$/.exec(location.hash)?.[1])
  return <FormFault error={reason && (oidcReasons[reason] ?? 'Signing in with the identity provider has failed.')} />
}
