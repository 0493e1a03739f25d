import { Button } from '@mantine/core'
import type { SignInState } from '@muster/contract/console.ts'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Block } from '../components/section-frame.tsx'
import { useAction } from '../components/use-action.ts'

type Parts = { readonly state: SignInState; readonly onCodes: (codes: readonly string[]) => void }

/** There are none without a second factor that they stand in for. */
export function RecoveryCodes({ state, onCodes }: Parts) {
  const [isAsking, setIsAsking] = useState(false)
  const renew = useAction({
    act: () => api('renewRecoveryCodes'),
    refresh: ['account'],
    onDone: ({ recovery_codes: codes }) => {
      setIsAsking(false)
      onCodes(codes)
    },
  })
  if (state.totp_enabled_at === null && state.passkeys.length === 0) return null
  const left = state.recovery_codes_left
  return (
    <Block
      title="Recovery codes"
      about={`${left === 0 ? 'None' : left} left. Each works once when you have neither your app nor a passkey.`}
      action={<Button onClick={() => setIsAsking(true)}>Create new codes…</Button>}
    >
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        question="Create new recovery codes?"
        consequences={['Your current codes stop working.']}
        stays="Your second factor stays as it is."
        verb="Create new codes"
        isDangerous={false}
        onConfirm={() => renew.mutate()}
        isBusy={renew.isPending}
      />
    </Block>
  )
}
