import { Button, Modal, TextInput } from '@mantine/core'
import type { DeviceGroup } from '@muster/contract/groups.ts'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { request } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { FormFault } from '../components/form-fault.tsx'

export function NewGroupDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [isAsked, setIsAsked] = useState(false)
  const lack = isAsked && name.trim() === '' ? 'A group needs a name' : undefined
  const [description, setDescription] = useState('')
  const make = useAction<void, DeviceGroup>({
    act: () =>
      request('/views/device_groups', {
        method: 'POST',
        body: { name, ...(description.trim() !== '' && { description }) },
      }),
    refresh: [['groups', 'devices']],
    said: (group) => `${group.name} made`,
    onDone: (group) => void navigate({ to: '/groups/devices/$groupId', params: { groupId: group.id } }),
    hasForm: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsAsked(true)
    if (name.trim() !== '') make.mutate()
  }
  return (
    <Modal opened onClose={onClose} title="New device group" withCloseButton={false}>
      <form className="confirm" onSubmit={submit}>
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={lack ?? make.faultOf('name')}
          maxLength={200}
          data-autofocus
        />
        <TextInput
          label="Description"
          description="Optional"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={make.faultOf('description')}
          maxLength={1_000}
        />
        <FormFault error={make.faultBeside('name', 'description')} />
        <div className="dialog-ends">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" loading={make.isPending}>
            Make the group
          </Button>
        </div>
      </form>
    </Modal>
  )
}
