import { Button, Modal, TextInput } from '@mantine/core'
import type { NewEnrollmentSecret } from '@muster/contract/console-settings.ts'
import type { Person } from '@muster/contract/people.ts'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { FormFault } from '../components/form-fault.tsx'
import { useAction } from '../components/use-action.ts'

type Parts = { readonly onClose: () => void; readonly onMade: (secret: NewEnrollmentSecret) => void }
type Wanted = { readonly name: string; readonly email: string; readonly until: string }

export function EnrollmentSecretDialog({ isOpen, ...parts }: Parts & { readonly isOpen: boolean }) {
  return (
    <Modal opened={isOpen} onClose={parts.onClose} title="Create an enrollment secret" withCloseButton={false}>
      {isOpen && <SecretForm {...parts} />}
    </Modal>
  )
}

async function findPerson(email: string): Promise<Person | undefined> {
  const query = `email:"${email.replaceAll(/["\\]/g, '')}"`
  const { data } = await api('listPeople', { query: { query, per_page: 1 } })
  return data[0]
}

async function makeSecret({ name, email, until }: Wanted): Promise<NewEnrollmentSecret> {
  const person = email === '' ? undefined : await findPerson(email)
  const body = {
    name,
    ...(person && { person_id: person.id }),
    ...(until !== '' && { expires_at: `${until}T23:59:59.999Z` }),
  }
  return await api('createEnrollmentSecret', { body })
}

function SecretForm({ onClose, onMade }: Parts) {
  const [unknown, setUnknown] = useState<string | undefined>()
  const make = useAction({ act: makeSecret, refresh: ['settings'], onDone: onMade, hasForm: true })
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const wanted = { name: text('name'), email: text('email'), until: text('until') }
    const isUnknown = wanted.email !== '' && (await findPerson(wanted.email).catch(() => undefined)) === undefined
    setUnknown(isUnknown ? `No active person has the address ${wanted.email}` : undefined)
    if (!isUnknown) make.mutate(wanted)
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="confirm">
      <TextInput
        name="name"
        label="Name"
        description="Shown in lists and the audit log."
        maxLength={200}
        required
        withAsterisk={false}
        data-autofocus
        error={make.faultOf('name')}
      />
      <TextInput
        name="email"
        type="email"
        label="Person (optional)"
        description="E-mail address. Devices that enroll are registered to this person without approval."
        error={unknown}
      />
      <TextInput
        name="until"
        type="date"
        label="Expires (optional)"
        description="At the end of that day (UTC). Leave empty for no expiry."
        error={make.faultOf('expires_at')}
      />
      <FormFault error={make.faultBeside} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={make.isPending}>
          Create secret
        </Button>
      </div>
    </form>
  )
}
