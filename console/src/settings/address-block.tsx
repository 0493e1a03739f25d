import { Button } from '@mantine/core'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Block } from '../components/section-frame.tsx'
import { useAction } from '../components/use-action.ts'

type Parts = { readonly own: string; readonly old: readonly string[] }

/** The base address of the organization, and the end of those it had before. */
export function AddressBlock({ own, old }: Parts) {
  const [isAsking, setAsking] = useState(false)
  const mayEnd = useMay('manage_settings')
  const end = useAction<void, void>({
    act: () => api('endOldAddresses'),
    refresh: ['getSettingFacts', 'audit'],
    said: () => `API keys and SCIM tokens are valid at ${own} only`,
    hasForm: true,
  })
  return (
    <Block
      title="Base address"
      about="Stream tokens use it as their issuer, and links start with it. The server operator sets it with muster organizations set-base-url."
    >
      <p>
        <code>{own}</code> <CopyButton text={own} label="the base address" />
      </p>
      {old.length > 0 && (
        <>
          <p>
            API keys and SCIM tokens are still valid at {old.length === 1 ? 'the old address' : 'the old addresses'}{' '}
            {old.map((url, index) => (
              <span key={url}>
                {index > 0 && ', '}
                <code>{url}</code>
              </span>
            ))}
            .
          </p>
          {mayEnd && <Button onClick={() => setAsking(true)}>End old addresses…</Button>}
        </>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        question={`Accept API keys and SCIM tokens at ${own} only?`}
        consequences={[
          `Clients and identity providers that still use ${old.join(', ')} are refused from their next request on.`,
          'You cannot undo this in the console.',
        ]}
        stays="The console and enrolled agents keep working."
        verb="End old addresses"
        onConfirm={() => end.mutate(undefined, { onSuccess: () => setAsking(false) })}
        isBusy={end.isPending}
        fault={end.faultBeside}
      />
    </Block>
  )
}
