import { Button, Modal, TextInput } from '@mantine/core'
import type { RecoveryCodes, SignInState, TotpSetup } from '@muster/contract/console.ts'
import { type FormEvent, useState } from 'react'
import { request } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { QrCode } from '../components/qr-code.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Block } from '../components/section-frame.tsx'
import { accountQuery } from './account-query.ts'

type Parts = { readonly state: SignInState; readonly onCodes: (codes: readonly string[]) => void }

export function AuthenticatorApp({ state, onCodes }: Parts) {
  const [setup, setSetup] = useState<TotpSetup | undefined>()
  const [isRemoving, setIsRemoving] = useState(false)
  const begin = useAction({
    act: () => request<TotpSetup>('/session/totp', { method: 'POST' }),
    onDone: setSetup,
  })
  const remove = useAction({
    act: () => request('/session/totp', { method: 'DELETE' }),
    refresh: [accountQuery.queryKey],
    said: () => 'Authenticator app removed',
    onDone: () => setIsRemoving(false),
  })
  const hasPasskey = state.passkeys.length > 0
  return (
    <Block
      title="Authenticator app"
      about={
        state.totp_enabled_at === null ? (
          'Not set up. With one, signing in asks for a code that changes every 30 seconds.'
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
          <SetupForm
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
            ? ['Codes of the app are good for nothing any more.']
            : [
                'Your password alone lets anybody in who knows it: there is no other second factor.',
                'Your recovery codes end as well.',
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

type SetupParts = {
  readonly setup: TotpSetup
  readonly onClose: () => void
  readonly onCodes: (codes: readonly string[]) => void
}

function SetupForm({ setup, onClose, onCodes }: SetupParts) {
  const enable = useAction({
    act: (code: string) => request<RecoveryCodes>('/session/totp/enable', { method: 'POST', body: { code } }),
    refresh: [accountQuery.queryKey],
    onDone: ({ recovery_codes: codes }) => onCodes(codes),
    hasForm: true,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    enable.mutate(String(new FormData(event.currentTarget).get('code')).replaceAll(/\s/g, ''))
  }
  return (
    <form onSubmit={submit} className="confirm">
      <p className="t2">Scan this with the app, or type the key in. Then type the code that it shows.</p>
      <div className="totp-setup">
        <QrCode text={setup.uri} label="QR code of the key for the authenticator app" />
      </div>
      <CodeBlock text={setup.secret} label="Key" />
      <TextInput
        name="code"
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        required
        withAsterisk={false}
        data-autofocus
        error={enable.faultOf('code') && `The code ${enable.faultOf('code')}`}
      />
      <FormFault error={enable.faultBeside('code')} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={enable.isPending}>
          Use this app
        </Button>
      </div>
    </form>
  )
}
