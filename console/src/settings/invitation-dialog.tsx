import { Button, Modal, TextInput } from '@mantine/core'
import { restrictionsLeaving } from '@muster/contract/admin-powers.ts'
import type { AdministratorLink } from '@muster/contract/console.ts'
import { isEmailAddress } from '@muster/contract/email-address.ts'
import type { InputOf } from '@muster/contract/operations/all-operations.ts'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { FormFault } from '../components/form-fault.tsx'
import { useAction } from '../components/use-action.ts'
import { blank, useCheckedForm } from '../components/use-checked-form.ts'
import { AccessFields, type Rights } from './access-fields.tsx'

type Parts = { readonly onClose: () => void; readonly onLink: (link: AdministratorLink) => void }

const fewest: Rights = { access: 'limited', restrictions: restrictionsLeaving([]) }

export function InvitationDialog({ isOpen, ...parts }: Parts & { readonly isOpen: boolean }) {
  return (
    <Modal opened={isOpen} onClose={parts.onClose} title="Invite an administrator" withCloseButton={false}>
      {isOpen && <InvitationForm {...parts} />}
    </Modal>
  )
}

function InvitationForm({ onClose, onLink }: Parts) {
  const [rights, setRights] = useState(fewest)
  const invite = useAction({
    act: (body: InputOf<'inviteAdministrator'>['body']) => api('inviteAdministrator', { body }),
    refresh: ['settings'],
    onDone: onLink,
    hasForm: true,
  })
  const { form, faultOf, isFine } = useCheckedForm(invite)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const text = (name: string) => String(data.get(name) ?? '').trim()
    const person = { email: text('email'), first_name: text('first_name'), last_name: text('last_name') }
    const faults = {
      first_name: person.first_name === '' ? blank : undefined,
      email: isEmailAddress(person.email) ? undefined : 'must be an e-mail address',
    }
    if (isFine(faults)) invite.mutate({ ...person, ...rights })
  }
  return (
    <form {...form} onSubmit={submit} className="confirm">
      <div className="two-fields">
        <TextInput
          name="first_name"
          label="First name"
          maxLength={200}
          required
          withAsterisk={false}
          error={faultOf('first_name')}
          data-autofocus
        />
        <TextInput name="last_name" label="Last name (optional)" maxLength={200} error={faultOf('last_name')} />
      </div>
      <TextInput
        name="email"
        type="email"
        label="E-mail"
        description="We don’t send e-mail; share the link yourself."
        maxLength={320}
        required
        withAsterisk={false}
        error={faultOf('email')}
      />
      <AccessFields
        rights={rights}
        onChange={setRights}
        fault={invite.faultOf('restrictions') ?? invite.faultOf('access')}
      />
      <FormFault error={invite.faultBeside} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={invite.isPending}>
          Create link
        </Button>
      </div>
    </form>
  )
}
