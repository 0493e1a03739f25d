import { Button } from '@mantine/core'
import { useState } from 'react'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts<Made> = {
  /** "secret", "token". */
  readonly kind: string
  readonly name: string
  readonly rotate: () => Promise<Made>
  readonly revoke: () => Promise<unknown>
  readonly mayRotate: boolean
  readonly ifRotated: readonly string[]
  readonly ifRevoked: readonly string[]
  readonly stays: string
  readonly onRotated: (made: Made) => void
}

/** The buttons at the end of a secret's row, and the questions that they ask first. */
export function SecretActions<Made>({ kind, mayRotate, stays, onRotated, ...parts }: Parts<Made>) {
  const [asked, setAsked] = useState<'rotate' | 'revoke' | undefined>()
  const name = visibleText(parts.name)
  const close = () => setAsked(undefined)
  const refresh = ['settings'] as const
  const rotate = useAction({
    act: parts.rotate,
    refresh,
    onDone: (made) => {
      close()
      onRotated(made)
    },
  })
  const revoke = useAction({
    act: parts.revoke,
    refresh,
    said: () => `${name} revoked`,
    onDone: close,
  })
  return (
    <span className="actions-cell">
      {mayRotate && (
        <Button aria-label={`Rotate ${name}…`} onClick={() => setAsked('rotate')}>
          Rotate…
        </Button>
      )}
      <Button aria-label={`Revoke ${name}…`} onClick={() => setAsked('revoke')}>
        Revoke…
      </Button>
      <ConfirmDialog
        isOpen={asked === 'rotate'}
        onClose={close}
        question={`Rotate ${name}?`}
        consequences={parts.ifRotated}
        stays={stays}
        verb={`Rotate the ${kind}`}
        onConfirm={rotate.mutate}
        isBusy={rotate.isPending}
      />
      <ConfirmDialog
        isOpen={asked === 'revoke'}
        onClose={close}
        question={`Revoke ${name}?`}
        consequences={parts.ifRevoked}
        stays={stays}
        verb={`Revoke the ${kind}`}
        onConfirm={revoke.mutate}
        isBusy={revoke.isPending}
      />
    </span>
  )
}
