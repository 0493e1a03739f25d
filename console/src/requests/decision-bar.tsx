import { Button } from '@mantine/core'
import { useState } from 'react'
import { type Decision, DecisionDialog, type RequestView } from './decision-dialog.tsx'

type Parts = {
  readonly kind: 'exemption' | 'registration'
  readonly chosen: readonly RequestView[]
  /** All of the page that wait. */
  readonly all: readonly RequestView[]
  readonly onAll: (all: readonly RequestView[]) => void
  readonly onClear: () => void
}

/** What can be done with the selected requests; its buttons have the keys A and D. */
export function DecisionBar({ kind, chosen, all, onAll, onClear }: Parts) {
  const [deciding, setDeciding] = useState<Decision>()
  return (
    <section className="decision-bar" aria-label="Selected requests">
      <span className="medium" role="status">
        {chosen.length} selected
      </span>
      {chosen.length < all.length && (
        <button type="button" className="plain underlined" onClick={() => onAll(all)}>
          Select all {all.length}
        </button>
      )}
      <span className="grow" />
      <Button data-press="d" onClick={() => setDeciding('denied')}>
        Deny {chosen.length}…
      </Button>
      <Button variant="filled" data-press="a" onClick={() => setDeciding('approved')}>
        Approve {chosen.length}…
      </Button>
      <Button onClick={onClear}>Clear</Button>
      {deciding && (
        <DecisionDialog kind={kind} asked={chosen} decision={deciding} onClose={() => setDeciding(undefined)} />
      )}
    </section>
  )
}
