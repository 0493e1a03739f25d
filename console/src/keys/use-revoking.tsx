import type { ConsoleApiKey } from '@muster/contract/console.ts'
import { type ReactNode, useState } from 'react'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useNow } from '../components/relative-time.tsx'
import { relativeTime } from '../components/times.ts'
import { useAction } from '../components/use-action.ts'
import type { Verb } from '../components/verbs.tsx'
import { visibleText } from '../components/visible-text.ts'
import { grantedTo } from './unused.ts'

/** Ends a key, from its page and from its row. */
export function useRevoking(apiKey: ConsoleApiKey, onRevoked: () => void): { revoke: Verb; dialogs: ReactNode } {
  const [isAsking, setIsAsking] = useState(false)
  const now = useNow()
  const name = visibleText(apiKey.name)
  const revoke = useAction({
    act: () => api('revokeApiKey', { params: { id: apiKey.id } }),
    refresh: ['listApiKeys'],
    hasForm: true,
    said: () => `“${name}” is revoked`,
    onDone: () => {
      setIsAsking(false)
      onRevoked()
    },
  })
  const granted = grantedTo(apiKey).length
  const dialogs = (
    <ConfirmDialog
      isOpen={isAsking}
      onClose={() => setIsAsking(false)}
      question={`Revoke “${name}”?`}
      consequences={[
        'Anything using the key is refused from its next request.',
        apiKey.last_used_at === null
          ? 'It was never used.'
          : `It was used last ${relativeTime(apiKey.last_used_at, now)}.`,
        ...(granted === 0
          ? []
          : [granted === 1 ? 'Its permission is removed too.' : `Its ${granted} permissions are removed too.`]),
        'This cannot be undone.',
      ]}
      stays="The audit log stays."
      verb="Revoke the key"
      onConfirm={() => revoke.mutate()}
      isBusy={revoke.isPending}
      fault={revoke.faultBeside}
    />
  )
  return { revoke: { text: 'Revoke…', run: () => setIsAsking(true), isDangerous: true }, dialogs }
}
