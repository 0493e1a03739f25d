import { Button, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { FormFault } from './form-fault.tsx'
import type { Action } from './use-action.ts'

type Parts = {
  /** What the name is for, with examples. */
  readonly about: string
  readonly maxLength: number
  readonly verb: string
  readonly action: Pick<Action<string>, 'faultOf' | 'faultBeside' | 'isPending'> & {
    readonly mutate: (name: string) => void
  }
  readonly onClose: () => void
}

/** The inside of a dialog that makes something which needs a name alone. */
export function NameForm({ about, maxLength, verb, action, onClose }: Parts) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    action.mutate(String(new FormData(event.currentTarget).get('name')).trim())
  }
  return (
    <form onSubmit={submit} className="confirm">
      <TextInput
        name="name"
        label="Name"
        description={about}
        maxLength={maxLength}
        required
        withAsterisk={false}
        data-autofocus
        error={action.faultOf('name')}
      />
      <FormFault error={action.faultBeside} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={action.isPending}>
          {verb}
        </Button>
      </div>
    </form>
  )
}
