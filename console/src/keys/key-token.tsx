import { Button } from '@mantine/core'
import type { ConsoleApiKey } from '@muster/contract/console.ts'
import { useMay } from '../api/session.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { visibleText } from '../components/visible-text.ts'
import { useRevealing } from './use-revealing.ts'
import './key-token.css'

/** The secret of a key in its row: masked until an administrator with full access reveals it. */
export function KeyToken({ apiKey }: { apiKey: ConsoleApiKey }) {
  const mayReveal = useMay('reveal_keys')
  const { shown, isPending, reveal, hide } = useRevealing(apiKey)
  const name = visibleText(apiKey.name)
  return (
    <div className="key-token">
      <code className={shown === undefined ? 'faint' : 'breaks'}>{shown ?? 'mstr_v1_••••••••'}</code>
      {mayReveal && shown === undefined && (
        <Button aria-label={`Reveal “${name}”`} loading={isPending} onClick={reveal}>
          Reveal
        </Button>
      )}
      {shown !== undefined && (
        <>
          <CopyButton text={shown} label={`“${name}”`} />
          <Button aria-label={`Hide “${name}”`} onClick={hide}>
            Hide
          </Button>
        </>
      )}
    </div>
  )
}
