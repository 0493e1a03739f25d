import { Button, TextInput } from '@mantine/core'
import { isEmailAddress } from '@muster/contract/email-address.ts'
import type { InputOf } from '@muster/contract/operations/all-operations.ts'
import { useRouter } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { refresh } from '../api/query.ts'
import { beginSession } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { readForm } from '../components/read-form.ts'
import { Mark } from '../components/state-shape.tsx'
import { toast } from '../components/toasts.tsx'
import { useAction } from '../components/use-action.ts'
import { blank, type Faults, useCheckedForm } from '../components/use-checked-form.ts'

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
  await refresh('session')
}

type Accepted = Omit<InputOf<'acceptLink'>['body'], 'token'> & { readonly organization: string | undefined }

const faultsOf = (isFirstRun: boolean, { password, email = '', first_name, organization }: Accepted): Faults => ({
  ...(isFirstRun && {
    organization_name: organization === undefined ? blank : undefined,
    first_name: first_name === undefined ? blank : undefined,
    email: isEmailAddress(email) ? undefined : 'must be an e-mail address',
  }),
  password: [...password].length < shortest ? `must have at least ${shortest} characters` : undefined,
})

export function AcceptForm({ token, isFirstRun, email, organization }: Parts) {
  const router = useRouter()
  const [length, setLength] = useState(0)
  const accept = useAction({
    act: async ({ organization: name, ...body }: Accepted) => {
      const session = await api('acceptLink', { body: { ...body, token } })
      beginSession(session)
      if (name !== undefined && name !== session.organization.name) await nameOrganization(name)
    },
    // Replaces the address, whose fragment held the token.
    onDone: () => router.history.replace('/console/setup/second-factor'),
    hasForm: true,
  })
  const { form, faultOf, isFine } = useCheckedForm(accept)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { text, optional } = readForm(event.currentTarget)
    const accepted = {
      password: text('password'),
      email: optional('email'),
      first_name: optional('first_name'),
      last_name: optional('last_name'),
      organization: optional('organization_name'),
    }
    if (isFine(faultsOf(isFirstRun, accepted))) accept.mutate(accepted)
  }
  return (
    <form {...form} onSubmit={submit} className="gate-form">
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
            error={faultOf('organization_name')}
          />
          <div className="gate-pair">
            <TextInput
              name="first_name"
              label="First name"
              required
              withAsterisk={false}
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
          <TextInput
            name="email"
            type="email"
            label="E-mail"
            autoComplete="username"
            required
            withAsterisk={false}
            error={faultOf('email')}
          />
        </>
      )}
      {!isFirstRun && email !== null && <input type="hidden" autoComplete="username" value={email} />}
      <PasswordField
        name="password"
        label="Password"
        autoComplete="new-password"
        required
        error={faultOf('password')}
        onChange={(event) => setLength([...event.currentTarget.value].length)}
      />
      <ul className="small secondary gate-rules">
        <li>
          <Mark name={length >= shortest ? 'tick' : 'pending'} />
          {length >= shortest
            ? `${shortest} characters or more`
            : `At least ${shortest} characters: ${shortest - length} more`}
        </li>
        <li>
          <Mark name="pending" />
          Not in the lists of leaked passwords
        </li>
      </ul>
      <FormFault error={accept.faultBeside} />
      <Button type="submit" variant="filled" fullWidth loading={accept.isPending}>
        {isFirstRun ? 'Create the account' : 'Save the password and sign in'}
      </Button>
    </form>
  )
}
