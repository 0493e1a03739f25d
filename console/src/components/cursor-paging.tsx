import { Button } from '@mantine/core'
import { Icon } from './icon.tsx'

type Parts = {
  /** Blank on the first page. */
  readonly current: string
  /** Blank on the last page. */
  readonly next: string
  readonly shown: number
  readonly onNext: (cursor: string) => void
  /** Someone is about to continue: the page may be fetched. */
  readonly onNear?: ((cursor: string) => void) | undefined
}

/** Cursors have no numbers: forward by the server's, back by the browser's history. */
export function CursorPaging({ current, next, shown, onNext, onNear }: Parts) {
  if (current === '' && next === '') return null
  return (
    <div className="table-foot">
      <span />
      <span className="row">
        <span className="tabular">{shown} on this page</span>
        <Button aria-label="Previous page" disabled={current === ''} onClick={() => history.back()}>
          <Icon name="chevronLeft" size={14} />
        </Button>
        <NextPage next={next} onNext={() => onNext(next)} onNear={onNear} />
      </span>
    </div>
  )
}

type NextParts = Pick<Parts, 'next' | 'onNear'> & { readonly onNext: () => void }

export function NextPage({ next, onNext, onNear }: NextParts) {
  const near = () => next !== '' && onNear?.(next)
  return (
    <Button aria-label="Next page" disabled={next === ''} onClick={onNext} onPointerEnter={near} onFocus={near}>
      <Icon name="chevronRight" size={14} />
    </Button>
  )
}
