import { Button, Modal } from '@mantine/core'
import type { SignInState } from '@muster/contract/console.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { makePasskey } from '../api/passkeys.ts'
import { query } from '../api/query.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { NameForm } from '../components/name-form.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Block } from '../components/section-frame.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

type Passkey = SignInState['passkeys'][number]
type Parts = { readonly state: SignInState; readonly onCodes: (codes: readonly string[]) => void }

export function Passkeys({ state, onCodes }: Parts) {
  const [isAdding, setIsAdding] = useState(false)
  const [removed, setRemoved] = useState<Passkey | undefined>()
  const options = useQuery(query('getSignInOptions'))
  const remove = useAction({
    act: ({ id }: Passkey) => api('removePasskey', { params: { id } }),
    refresh: ['account'],
    said: (_, { name }) => `${visibleText(name)} removed`,
    onDone: () => setRemoved(undefined),
  })
  const arePossible = options.data?.passkeys !== false
  const isLastFactor = state.passkeys.length === 1 && state.totp_enabled_at === null
  return (
    <Block
      title="Passkeys"
      about={
        arePossible
          ? 'Stored on your device or a security key. A passkey signs you in on its own, with no password or code.'
          : 'Not available here: passkeys need a host name, and this address has none.'
      }
      action={arePossible && <Button onClick={() => setIsAdding(true)}>Add a passkey…</Button>}
    >
      {state.passkeys.length > 0 && (
        <ul className="lines">
          {state.passkeys.map((passkey) => (
            <li key={passkey.id} className="line">
              <span className="medium ellipsis grow" title={visibleText(passkey.name)}>
                {visibleText(passkey.name)}
              </span>
              <span className="secondary passkey-kept">{passkey.is_synced ? 'Synced' : 'On one device'}</span>
              <span className="secondary tabular passkey-used">
                {passkey.last_used_at === null ? (
                  'never used'
                ) : (
                  <>
                    used <RelativeTime time={passkey.last_used_at} />
                  </>
                )}
              </span>
              <Button aria-label={`Remove ${visibleText(passkey.name)}…`} onClick={() => setRemoved(passkey)}>
                Remove…
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Modal opened={isAdding} onClose={() => setIsAdding(false)} title="Add a passkey" withCloseButton={false}>
        <AddForm
          onClose={() => setIsAdding(false)}
          onAdded={(codes) => {
            setIsAdding(false)
            onCodes(codes)
          }}
        />
      </Modal>
      <ConfirmDialog
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        question={`Remove the passkey ${visibleText(removed?.name ?? '')}?`}
        consequences={[
          'It no longer signs you in. Your device may still offer it; delete it there too.',
          ...(isLastFactor ? ['Signing in will need no second factor, and your recovery codes stop working.'] : []),
        ]}
        verb="Remove the passkey"
        onConfirm={() => removed && remove.mutate(removed)}
        isBusy={remove.isPending}
      />
    </Block>
  )
}

function AddForm({ onClose, onAdded }: { onClose: () => void; onAdded: (codes: readonly string[]) => void }) {
  const add = useAction({
    act: async (name: string) => api('addPasskey', { body: { name, ...(await makePasskey()) } }),
    refresh: ['account'],
    said: (_, name) => `${name} added`,
    onDone: ({ recovery_codes: codes }) => onAdded(codes),
    hasForm: true,
  })
  return (
    <NameForm
      about="To tell it apart: “Work laptop”, “Blue key”."
      maxLength={100}
      verb="Add the passkey"
      action={add}
      onClose={onClose}
    />
  )
}
