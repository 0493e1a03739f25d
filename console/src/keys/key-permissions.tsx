import { Button, Modal, TextInput } from '@mantine/core'
import type { ConsoleApiKey } from '@muster/contract/console.ts'
import { type Permission, permissions } from '@muster/contract/permissions.ts'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { useSession } from '../api/session.ts'
import { FormFault } from '../components/form-fault.tsx'
import { Icon } from '../components/icon.tsx'
import { RelativeTime, useNow } from '../components/relative-time.tsx'
import { Mark } from '../components/state-shape.tsx'
import { dayOf } from '../components/times.ts'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { grantedTo, permissionNames, unusedBy } from './unused.ts'

type Change = { readonly change: 'grant' | 'withdraw'; readonly permissions: readonly Permission[] }

export function KeyPermissions({ apiKey }: { apiKey: ConsoleApiKey }) {
  const session = useSession()
  const now = useNow()
  const [change, setChange] = useState<Change>()
  const granted = grantedTo(apiKey)
  const unused = unusedBy(apiKey, now)
  const grantable = permissionNames.filter(
    (name) => !granted.includes(name) && session?.permissions.includes(name) === true,
  )
  const since = dayOf(apiKey.uses_recorded_since, now)
  return (
    <section className="form-section">
      <div className="section-head">
        <h2>What it may do</h2>
        <span className="small faint">uses recorded since {since}</span>
      </div>
      {unused.length > 0 && (
        <div className="note will">
          <Mark name="warning" />
          <span className="grow">
            {unused.length === 1
              ? `“${permissions[unused[0] ?? 'remove_devices'].title}” was not needed for 30 days.`
              : `${unused.length} permissions were not needed for 30 days.`}{' '}
            Withdraw what it does not use.
          </span>
          <Button onClick={() => setChange({ change: 'withdraw', permissions: unused })}>
            {unused.length === 1 ? 'Withdraw it…' : `Withdraw ${unused.length}…`}
          </Button>
        </div>
      )}
      {granted.length === 0 && <p className="secondary">Read only.</p>}
      {granted.length > 0 && (
        <div>
          {granted.map((name) => (
            <div className="permission-line" key={name}>
              <div className="grow">
                <div className="medium">{permissions[name].title}</div>
                <div className="secondary breaks">{visibleText(apiKey.permissions[name] ?? '')}</div>
              </div>
              <div className="permission-use small secondary">
                {apiKey.permission_uses[name] === undefined ? (
                  `Not needed since ${since}`
                ) : (
                  <>
                    Needed last <RelativeTime time={apiKey.permission_uses[name]} />
                  </>
                )}
              </div>
              <Button
                aria-label={`Withdraw ${permissions[name].title}`}
                onClick={() => setChange({ change: 'withdraw', permissions: [name] })}
              >
                Withdraw…
              </Button>
            </div>
          ))}
        </div>
      )}
      {grantable.length > 0 && (
        <div>
          <Button
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => setChange({ change: 'grant', permissions: [] })}
          >
            Grant more…
          </Button>
        </div>
      )}
      <ChangeDialog apiKey={apiKey} change={change} grantable={grantable} onClose={() => setChange(undefined)} />
    </section>
  )
}

type DialogParts = {
  readonly apiKey: ConsoleApiKey
  readonly change: Change | undefined
  readonly grantable: readonly Permission[]
  readonly onClose: () => void
}

function ChangeDialog({ apiKey, change, grantable, onClose }: DialogParts) {
  const count = change?.permissions.length ?? 0
  const [first] = change?.permissions ?? []
  const title =
    change?.change === 'grant'
      ? 'Grant permissions'
      : count === 1 && first !== undefined
        ? `Withdraw “${permissions[first].title}”?`
        : `Withdraw ${count} permissions?`
  return (
    <Modal opened={change !== undefined} onClose={onClose} title={title} withCloseButton={false}>
      {change && <ChangeForm apiKey={apiKey} change={change} grantable={grantable} onClose={onClose} />}
    </Modal>
  )
}

function ChangeForm({ apiKey, change, grantable, onClose }: DialogParts & { readonly change: Change }) {
  const [chosen, setChosen] = useState(change.permissions)
  const [rationale, setRationale] = useState('')
  const isGrant = change.change === 'grant'
  const act = useAction({
    act: () =>
      api('updateApiKeyPermissions', {
        params: { id: apiKey.id },
        body: { change: change.change, permissions: chosen, rationale },
      }),
    refresh: ['api_keys'],
    hasForm: true,
    said: () => (isGrant ? 'Granted from the next request on' : 'Withdrawn; the next request is refused'),
    onDone: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    act.mutate()
  }
  const toggle = (name: Permission) =>
    setChosen(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name])
  return (
    <form className="dialog-form" onSubmit={submit} noValidate>
      {!isGrant && (
        <p className="secondary">
          What the key does with {chosen.length === 1 ? 'it' : 'them'} is refused from then on.
        </p>
      )}
      {(isGrant ? grantable : change.permissions).map((name) => (
        <label className="check-line" key={name}>
          <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
          <span>
            <span className="medium block">{permissions[name].title}</span>
            <span className="small secondary block">{permissions[name].description}</span>
          </span>
        </label>
      ))}
      <TextInput
        label="Why"
        description={isGrant ? 'Stored with the permission.' : 'Recorded in the audit log.'}
        value={rationale}
        maxLength={1_000}
        error={act.faultOf('rationale')}
        onChange={(event) => setRationale(event.currentTarget.value)}
        data-autofocus
      />
      <FormFault error={act.faultBeside} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="filled"
          {...(!isGrant && { color: 'danger' })}
          loading={act.isPending}
          disabled={chosen.length === 0}
        >
          {isGrant ? 'Grant' : 'Withdraw'}
        </Button>
      </div>
    </form>
  )
}
