import { Button, Input, Modal } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { PersonGroupChoice, type PersonGroupName } from '../components/person-group-choice.tsx'
import { visibleText } from '../components/visible-text.ts'

const label = 'Shared groups (optional)'

type Parts = {
  readonly value: readonly PersonGroupName[]
  readonly error: string | undefined
  readonly onChange: (groups: readonly PersonGroupName[]) => void
}

/** The groups of people that are shared with an application. */
export function GroupsField({ value, error, onChange }: Parts) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description="The application learns which of these groups the person is in, by the claim “groups”, and no others."
      error={error}
    >
      {value.length > 0 && (
        <ul className="tags chosen-groups" aria-label={label}>
          {value.map(({ id, name }) => (
            <li className="tag" key={id}>
              <span className="ellipsis">{visibleText(name)}</span>
              <button
                type="button"
                aria-label={`Remove ${visibleText(name)}`}
                onClick={() => onChange(value.filter((one) => one.id !== id))}
              >
                <Icon name="close" size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Button onClick={() => setOpen(true)}>Choose groups…</Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Shared groups" withCloseButton={false}>
        <div className="confirm">
          <PersonGroupChoice chosen={value} onChange={onChange} />
          <div className="dialog-ends">
            <Button variant="filled" onClick={() => setOpen(false)}>
              Done
            </Button>
          </div>
        </div>
      </Modal>
    </Input.Wrapper>
  )
}
