import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { useAction } from '../components/use-action.ts'
import { ChangedMeanwhile } from '../developers/changed-meanwhile.tsx'
import { FormSaveBar } from '../developers/form-save-bar.tsx'
import { refuseOutdated } from '../developers/refuse-outdated.ts'
import { useInput } from '../developers/use-input.ts'
import { ConnectionFields } from './connection-fields.tsx'
import { areKeysReadable, changeOf, changesInWords, inputOf, labels, readKeySet, shownOf } from './connection-input.ts'
import { connectionQuery } from './connection-queries.ts'
import { WithConnection } from './with-connection.tsx'

const route = getRouteApi('/shell/connections/$connectionId/settings')

export function ConnectionSettingsPage() {
  const { connectionId } = route.useParams()
  const may = useMay('manage_sign_in')
  return (
    <WithConnection id={connectionId}>
      {(connection) =>
        may ? (
          <SettingsForm key={connection.id} connection={connection} />
        ) : (
          <MissingPermission power="manage_sign_in" />
        )
      }
    </WithConnection>
  )
}

const redirect = { hint: 'Where answers may go: https addresses.', example: 'https://payroll.example.com/callback' }

const aboutKeys = {
  second_step: 'With each signed request the caller states that it has signed the person in.',
  application: 'With keys, requests that are not signed are refused.',
  entra: '',
} as const

function SettingsForm({ connection }: { connection: SignInConnectionView }) {
  const client = useQueryClient()
  const { base: before, input, setInput, others, begin, takeTheirs } = useInput(inputOf(connection))
  const losesKeys =
    connection.kind === 'application' && readKeySet(input.requestKeys) === null && before.requestKeys !== ''
  const save = useAction({
    act: async () => {
      const isStill = (now: SignInConnectionView) => changesInWords(inputOf(now), before) === ''
      await refuseOutdated(client, { ...connectionQuery(connection.id), isStill })
      if (!areKeysReadable(input.requestKeys)) throw new Error('The keys are no JWK set: {"keys": […]}')
      await api('changeSignInConnection', { params: { id: connection.id }, body: changeOf(before, input) })
      return client.fetchQuery({ ...connectionQuery(connection.id), staleTime: 0 })
    },
    refresh: ['connections'],
    hasForm: true,
    said: () => 'Connection saved',
    onDone: (changed) => begin(inputOf(changed)),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="form-section" onSubmit={submit} noValidate>
      <ConnectionFields
        value={input}
        onChange={setInput}
        faultOf={save.faultOf}
        redirect={redirect}
        aboutKeys={aboutKeys[connection.kind]}
      />
      {losesKeys && (
        <p className="note will" role="status">
          Without keys, requests that are not signed are accepted.
        </p>
      )}
      <ChangedMeanwhile
        others={others}
        labels={labels}
        theirs={before}
        yours={input}
        shownOf={shownOf}
        onTakeTheirs={takeTheirs}
      />
      <FormFault error={save.faultBeside} />
      <FormSaveBar
        changes={changesInWords(before, input)}
        consequence="The next request is treated this way."
        verb="Save changes"
        isBusy={save.isPending}
        onDiscard={() => begin(before)}
      />
    </form>
  )
}
