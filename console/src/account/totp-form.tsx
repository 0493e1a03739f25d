import { Button, TextInput } from '@mantine/core'
import type { TotpSetup } from '@muster/contract/console.ts'
import type { FormEvent } from 'react'
import { api } from '../api/api.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { QrCode } from '../components/qr-code.tsx'
import { useAction } from '../components/use-action.ts'

type Parts = {
  readonly setup: TotpSetup
  readonly onClose: () => void
  readonly onCodes: (codes: readonly string[]) => void
}

/** Proves that an authenticator app has the key. */
export function TotpForm({ setup, onClose, onCodes }: Parts) {
  const enable = useAction({
    act: (code: string) => api('enableTotp', { body: { code } }),
    refresh: ['account'],
    onDone: ({ recovery_codes: codes }) => onCodes(codes),
    hasForm: true,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    enable.mutate(String(new FormData(event.currentTarget).get('code')).replaceAll(/\s/g, ''))
  }
  return (
    <form onSubmit={submit} className="confirm">
      <p className="secondary">Scan this with the app, or enter the key. Then enter the code it shows.</p>
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
      <FormFault error={enable.faultBeside} />
      <div className="dialog-ends">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={enable.isPending}>
          Use this app
        </Button>
      </div>
    </form>
  )
}
