import { Button, Modal, NativeSelect, TextInput } from '@mantine/core'
import { whyNoCode } from '@muster/contract/code-takers.ts'
import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import type { NewBypassCode } from '@muster/contract/sign-in-exceptions.ts'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { FormFault } from '../components/form-fault.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts = {
  readonly personId: string
  readonly name: string
  readonly onClose: () => void
  readonly onMade: (code: NewBypassCode) => void
}
type Wanted = { readonly connection_id: string; readonly hours: number; readonly reason: string }

export const CodeDialog = ({ isOpen, ...parts }: Parts & { readonly isOpen: boolean }) => (
  <Modal opened={isOpen} onClose={parts.onClose} title="Give a sign-in code" withCloseButton={false}>
    {isOpen && <CodeForm {...parts} />}
  </Modal>
)

const hours = [1, 2, 4, 8]

function CodeForm({ personId, name, onClose, onMade }: Parts) {
  const connections = useQuery(query('listSignInConnections', { query: { per_page: 100 } }))
  const make = useAction({
    act: (wanted: Wanted) => api('createBypassCode', { body: { person_id: personId, ...wanted } }),
    refresh: ['bypass_codes', 'audit'],
    onDone: onMade,
    hasForm: true,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (field: string) => String(form.get(field) ?? '').trim()
    make.mutate({ connection_id: text('connection_id'), hours: Number(text('hours')), reason: text('reason') })
  }
  const all = connections.data?.data ?? []
  const choices = all
    .filter((connection) => whyNoCode(connection) === undefined)
    .map(({ id, name: text }) => ({ value: id, label: visibleText(text) }))
  return (
    <form onSubmit={submit} className="confirm">
      <p className="secondary">
        Lets {name} sign in once without a device check. Confirm who you are talking to first.
      </p>
      <LoadFailure what="The connections" query={connections} />
      <NativeSelect
        name="connection_id"
        label="Opens"
        data={choices}
        required
        withAsterisk={false}
        data-autofocus
        error={make.faultOf('connection_id')}
      />
      <LeftOut connections={all} />
      <NativeSelect
        name="hours"
        label="Expires"
        defaultValue="4"
        data={hours.map((count) => ({ value: String(count), label: `in ${count} ${count === 1 ? 'hour' : 'hours'}` }))}
      />
      <TextInput
        name="reason"
        label="Reason"
        description="The person reads it. It stands in the audit log and the sign-in log."
        maxLength={200}
        required
        withAsterisk={false}
        error={make.faultOf('reason')}
      />
      <FormFault error={make.faultBeside} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={make.isPending} disabled={choices.length === 0}>
          Give the code
        </Button>
      </div>
    </form>
  )
}

/** The connections that no code opens, each with the reason. */
function LeftOut({ connections }: { connections: readonly SignInConnectionView[] }) {
  const lines = connections.flatMap((connection) => {
    const why = whyNoCode(connection)
    return why === undefined ? [] : [{ id: connection.id, text: `${visibleText(connection.name)}: ${why}` }]
  })
  return lines.map(({ id, text }) => (
    <p key={id} className="small secondary">
      {text}
    </p>
  ))
}
