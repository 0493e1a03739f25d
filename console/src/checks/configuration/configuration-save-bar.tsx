import { Button } from '@mantine/core'
import type { ConfigurationPreview } from '@muster/contract/console-checks.ts'
import { type Beside, useBeside } from '../../components/form-fault.tsx'
import { SaveBar } from '../../components/save-bar.tsx'
import type { Draft } from './draft.ts'
import { changesInWords, consequenceOf } from './preview-words.ts'

type Parts = {
  readonly changed: readonly string[]
  readonly changes: number
  readonly saved: Draft
  readonly draft: Draft
  /** Undefined while it is not of what stands in the form. */
  readonly preview: ConfigurationPreview | undefined
  readonly verb: string
  /** What someone else has changed meanwhile. */
  readonly others: readonly string[]
  readonly fault: Beside
  readonly isOutdated: boolean
  readonly isBusy: boolean
  readonly onLookAgain: () => void
  readonly onDiscard: () => void
  readonly onSave: () => void
}

export const ConfigurationSaveBar = (parts: Parts) => (
  <SaveBar
    isWhole
    said={
      parts.changed.length > 0
        ? changesInWords(parts.changed, parts.saved, parts.draft)
        : parts.changes === 1
          ? '1 change'
          : `${parts.changes} changes`
    }
    below={<Below {...parts} />}
    onDiscard={parts.onDiscard}
  >
    {parts.isOutdated ? (
      <Button variant="filled" data-submit onClick={parts.onLookAgain}>
        Refresh
      </Button>
    ) : (
      <Button
        variant="filled"
        disabled={parts.preview === undefined}
        loading={parts.isBusy}
        data-submit
        onClick={parts.onSave}
      >
        {parts.verb}
      </Button>
    )}
  </SaveBar>
)

function Below({ fault, others, preview }: Pick<Parts, 'fault' | 'others' | 'preview'>) {
  const said = useBeside(fault)
  return (
    <div className={said === undefined ? 'small faint' : 'small bad'} role={said === undefined ? undefined : 'alert'}>
      {others.length > 0 && `Someone else changed ${others.join(', ')} in the meantime. `}
      {said ?? (preview ? consequenceOf(preview) : 'Making the preview…')}
    </div>
  )
}
