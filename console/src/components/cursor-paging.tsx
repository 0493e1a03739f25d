import { Button } from '@mantine/core'
import { Icon } from './icon.tsx'

type Parts = {
  /** Blank on the first page. */
  readonly current: string
  /** Blank on the last page. */
  readonly next: string
  readonly shown: number
  readonly onNext: (cursor: string) => void
}

/** Cursors have no numbers: forward by the server's, back by the browser's history. */
export function CursorPaging({ current, next, shown, onNext }: Parts) {
  if (current === '' && next === '') return null
  return (
    <div className="tfoot">
      <span />
      <span className="row">
        <span className="tn">{shown} on this page</span>
        <Button aria-label="Previous page" disabled={current === ''} onClick={() => history.back()}>
          <Icon name="chevronLeft" size={14} />
        </Button>
        <Button aria-label="Next page" disabled={next === ''} onClick={() => onNext(next)}>
          <Icon name="chevronRight" size={14} />
        </Button>
      </span>
    </div>
  )
}
