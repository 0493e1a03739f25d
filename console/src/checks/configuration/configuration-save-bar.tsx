import { Button } from '@mantine/core'
import type { ConfigurationPreview } from '@muster/contract/console-checks.ts'
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
  readonly fault: string | undefined
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
    below={
      <div
        className={parts.fault === undefined ? 'small faint' : 'small bad'}
        role={parts.fault === undefined ? undefined : 'alert'}
      >
        {parts.others.length > 0 && `Someone else changed ${parts.others.join(', ')} in the meantime. `}
        {parts.fault ?? (parts.preview ? consequenceOf(parts.preview) : 'Making the preview…')}
      </div>
    }
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
