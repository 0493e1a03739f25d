import { Button, Modal, TextInput } from '@mantine/core'
import { isEmailAddress } from '@muster/contract/email-address.ts'
import type { FormEvent } from 'react'
import { api } from '../api/api.ts'
import { FormFault } from '../components/form-fault.tsx'
import { useAction } from '../components/use-action.ts'
import { blank, useCheckedForm } from '../components/use-checked-form.ts'

type Added = { readonly name: string; readonly isRestored: boolean }

/** For people whom no identity provider brings. */
export function AddPersonDialog({ onClose }: { readonly onClose: () => void }) {
  const add = useAction({
    act: async (body: { name: string; email: string }): Promise<Added> => {
      const { is_restored: isRestored } = await api('addPerson', { body })
      return { name: body.name, isRestored }
    },
    refresh: ['people', 'audit', 'settings'],
    said: ({ name, isRestored }) =>
      isRestored ? 'The person with this address is active again, under their earlier name' : `${name} was added`,
    onDone: onClose,
    hasForm: true,
  })
  const { form, faultOf, isFine } = useCheckedForm(add)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const text = (name: string) => String(data.get(name) ?? '').trim()
    const person = { name: text('name'), email: text('email') }
    const faults = {
      name: person.name === '' ? blank : undefined,
      email: isEmailAddress(person.email) ? undefined : 'must be an e-mail address',
    }
    if (isFine(faults)) add.mutate(person)
  }
  return (
    <Modal opened onClose={onClose} title="Add a person" withCloseButton={false}>
      <form {...form} onSubmit={submit} className="confirm">
        <TextInput
          name="name"
          label="Name"
          maxLength={200}
          required
          withAsterisk={false}
          error={faultOf('name')}
          data-autofocus
        />
        <TextInput
          name="email"
          type="email"
          label="E-mail"
          description="The address that your identity provider knows them by."
          maxLength={320}
          required
          withAsterisk={false}
          error={faultOf('email')}
        />
        <FormFault error={add.faultBeside} />
        <div className="dialog-ends">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" loading={add.isPending}>
            Add person
          </Button>
        </div>
      </form>
    </Modal>
  )
}
