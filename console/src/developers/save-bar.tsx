import { Button } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'

type Parts = {
  /** What is changed, in words; blank while nothing is. */
  readonly changes: string
  readonly consequence?: string
  readonly verb: string
  readonly isBusy: boolean
  readonly onDiscard: () => void
}

/** Stands below a form while something is changed that is not saved. Leaving asks once. */
export function SaveBar({ changes, consequence, verb, isBusy, onDiscard }: Parts) {
  useBlocker({
    shouldBlockFn: () => !window.confirm('Leave without saving? What you changed is lost.'),
    enableBeforeUnload: changes !== '' && !isBusy,
    disabled: changes === '' || isBusy,
  })
  if (changes === '') return null
  return (
    <div className="save-bar">
      <div className="grow">
        <div className="m" role="status">
          {changes}
        </div>
        {consequence !== undefined && <div className="sm t2">{consequence}</div>}
      </div>
      <Button variant="subtle" onClick={onDiscard}>
        Discard
      </Button>
      <Button type="submit" variant="filled" loading={isBusy}>
        {verb}
      </Button>
    </div>
  )
}
