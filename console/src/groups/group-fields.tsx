import { Button, Modal, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { FormFault } from '../components/form-fault.tsx'
import type { Action } from '../components/use-action.ts'

export type GroupInput = { readonly name: string; readonly description: string }

type Parts = {
  readonly title: string
  readonly verb: string
  readonly before: GroupInput
  readonly action: Pick<Action<GroupInput>, 'faultOf' | 'faultBeside' | 'isPending'> & {
    readonly mutate: (input: GroupInput) => void
  }
  readonly onClose: () => void
}

/** What a device group is called, and what it is for. */
export function GroupFields({ title, verb, before, action, onClose }: Parts) {
  const [name, setName] = useState(before.name)
  const [description, setDescription] = useState(before.description)
  const [isAsked, setIsAsked] = useState(false)
  const lack = isAsked && name.trim() === '' ? 'Enter a name for the group' : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsAsked(true)
    if (name.trim() !== '') action.mutate({ name, description })
  }
  return (
    <Modal opened onClose={onClose} title={title} withCloseButton={false}>
      <form className="confirm" onSubmit={submit}>
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={action.faultOf('name', lack)}
          maxLength={200}
          data-autofocus
        />
        <TextInput
          label="Description"
          description="Optional"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={action.faultOf('description')}
          maxLength={1_000}
        />
        <FormFault error={action.faultBeside} />
        <div className="dialog-ends">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" loading={action.isPending}>
            {verb}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
