import { Button, Modal } from '@mantine/core'
import type { SignInState, TotpSetup } from '@muster/contract/console.ts'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Block } from '../components/section-frame.tsx'
import { useAction } from '../components/use-action.ts'
import { TotpForm } from './totp-form.tsx'

type Parts = { readonly state: SignInState; readonly onCodes: (codes: readonly string[]) => void }

export function AuthenticatorApp({ state, onCodes }: Parts) {
  const [setup, setSetup] = useState<TotpSetup | undefined>()
  const [isRemoving, setIsRemoving] = useState(false)
  const begin = useAction({
    act: () => api('beginTotp'),
    onDone: setSetup,
  })
  const remove = useAction({
    act: () => api('disableTotp'),
    refresh: ['account'],
    said: () => 'Authenticator app removed',
    onDone: () => setIsRemoving(false),
  })
  const hasPasskey = state.passkeys.length > 0
  return (
    <Block
      title="Authenticator app"
      about={
        state.totp_enabled_at === null ? (
          'Not set up. With an app, signing in asks for a code that changes every 30 seconds.'
        ) : (
          <>
            In use since <RelativeTime time={state.totp_enabled_at} />. Signing in with your password asks for a code.
          </>
        )
      }
      action={
        state.totp_enabled_at === null ? (
          <Button onClick={() => begin.mutate()} loading={begin.isPending}>
            Set up…
          </Button>
        ) : (
          <Button onClick={() => setIsRemoving(true)}>Remove…</Button>
        )
      }
    >
      <Modal
        opened={setup !== undefined}
        onClose={() => setSetup(undefined)}
        title="Set up an authenticator app"
        withCloseButton={false}
      >
        {setup && (
          <TotpForm
            setup={setup}
            onClose={() => setSetup(undefined)}
            onCodes={(codes) => {
              setSetup(undefined)
              onCodes(codes)
            }}
          />
        )}
      </Modal>
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setIsRemoving(false)}
        question="Remove the authenticator app?"
        consequences={
          hasPasskey
            ? ['Codes from the app no longer work.']
            : [
                'Anyone who knows your password can sign in: you have no other second factor.',
                'Your recovery codes stop working too.',
              ]
        }
        {...(hasPasskey && { stays: 'Your passkeys and recovery codes stay.' })}
        verb="Remove the app"
        onConfirm={() => remove.mutate()}
        isBusy={remove.isPending}
      />
    </Block>
  )
}
