import { Button, TextInput } from '@mantine/core'
import type { RevealedApiKey } from '@muster/contract/console.ts'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { useMay, useSession } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Page } from '../components/page.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { useAction } from '../components/use-action.ts'
import { blank, useCheckedForm } from '../components/use-checked-form.ts'
import '../developers/developers.css'
import { PermissionFields, type Rationales } from './permission-fields.tsx'
import { permissionNames } from './unused.ts'

const crumb = { to: '/settings/developers/keys', text: 'API keys' } as const

export function NewKeyPage() {
  const may = useMay('manage_keys')
  const [made, setMade] = useState<RevealedApiKey>()
  return (
    <Page title={made ? 'Key created' : 'Create new key'} crumb={crumb}>
      <div className="page form-page">
        {!may && <MissingPermission power="manage_keys" />}
        {may && made === undefined && <NewKeyForm onMade={setMade} />}
        {made && <MadeKey made={made} />}
      </div>
    </Page>
  )
}

/** Of a day as the browser has it, where whoever chooses it is. */
const endOfDay = (day: string): string => new Date(`${day}T23:59:59.999`).toISOString()

function MadeKey({ made }: { made: RevealedApiKey }) {
  return (
    <>
      <SecretOnce
        label="API key"
        secret={made.key}
        after="Copy it now. Later, only an administrator with full access can reveal it, and that is recorded in the audit log."
      />
      <p>
        <Link className="underlined" to="/settings/developers/keys/$keyId" params={{ keyId: made.id }}>
          Go to the key
        </Link>
      </p>
    </>
  )
}

function NewKeyForm({ onMade }: { onMade: (made: RevealedApiKey) => void }) {
  const session = useSession()
  const own = session?.administrator
  const [name, setName] = useState('')
  const [responsible, setResponsible] = useState([own?.first_name, own?.last_name].filter(Boolean).join(' '))
  const [expires, setExpires] = useState('')
  const [rationales, setRationales] = useState<Rationales>({})
  const grantable = permissionNames.filter((one) => session?.permissions.includes(one))
  const create = useAction({
    act: () =>
      api('createApiKey', {
        body: {
          ...{ name, responsible_administrator: responsible, permissions: rationales },
          ...(expires !== '' && { expires_at: endOfDay(expires) }),
        },
      }),
    refresh: ['api_keys'],
    hasForm: true,
    onDone: onMade,
  })
  const { form, faultOf, isFine } = useCheckedForm(create)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const unexplained = grantable.filter((one) => rationales[one]?.trim() === '')
    const faults = {
      name: name.trim() === '' ? blank : undefined,
      responsible_administrator: responsible.trim() === '' ? blank : undefined,
      ...Object.fromEntries(unexplained.map((one) => [`permissions/${one}`, 'needs a written rationale'])),
    }
    if (isFine(faults)) create.mutate()
  }
  return (
    <form {...form} onSubmit={submit}>
      <TextInput
        name="name"
        label="Name"
        description="The program that uses it, and where it runs."
        value={name}
        maxLength={200}
        error={faultOf('name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        name="responsible_administrator"
        label="Responsible administrator"
        description="Who is responsible for the key."
        value={responsible}
        maxLength={200}
        error={faultOf('responsible_administrator')}
        onChange={(event) => setResponsible(event.currentTarget.value)}
      />
      <TextInput
        name="expires_at"
        label="Expires after (optional)"
        description="The key stops working at the end of that day. Leave empty for no expiry."
        type="date"
        value={expires}
        error={faultOf('expires_at')}
        onChange={(event) => setExpires(event.currentTarget.value)}
      />
      <section>
        <h2>What it may do</h2>
        <p className="secondary">
          Every key can read devices, people, checks and logs. Add only the permissions it needs and say why.
        </p>
        <PermissionFields names={grantable} value={rationales} onChange={setRationales} faultOf={faultOf} />
      </section>
      <FormFault error={create.faultBeside} />
      <div className="form-ends">
        <Button type="submit" variant="filled" loading={create.isPending}>
          Create the key
        </Button>
        <Button component={Link} to="/settings/developers/keys" variant="subtle">
          Cancel
        </Button>
      </div>
    </form>
  )
}
