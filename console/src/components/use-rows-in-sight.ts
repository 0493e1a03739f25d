import { type RefObject, useEffect, useRef, useState } from 'react'

/** Fewer are drawn as they are. */
const many = 200
/** Beyond what is seen, so that scrolling finds rows there already. */
const ahead = 30
const step = 10

type InSight<Body extends Element> = {
  readonly body: RefObject<Body | null>
  /** The number of the first row to draw, and the one behind the last. */
  readonly first: number
  readonly last: number
}

/** Which of many rows of one height are near what is seen of the page, `body` being around all of them. */
export function useRowsInSight<Body extends Element>(count: number, rowHeight: number): InSight<Body> {
  const body = useRef<Body>(null)
  const [seen, setSeen] = useState({ first: 0, last: many })
  const isMany = count > many
  useEffect(() => {
    if (!isMany) return undefined
    let frame = 0
    const look = () => {
      frame = 0
      if (!body.current) return
      const { top } = body.current.getBoundingClientRect()
      const first = Math.max(0, Math.floor((-top / rowHeight - ahead) / step) * step)
      const last = Math.max(0, Math.ceil(((innerHeight - top) / rowHeight + ahead) / step) * step)
      setSeen((was) => (was.first === first && was.last === last ? was : { first, last }))
    }
    const ask = () => {
      frame ||= requestAnimationFrame(look)
    }
    ask()
    addEventListener('scroll', ask, { capture: true, passive: true })
    addEventListener('resize', ask)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', ask, { capture: true })
      removeEventListener('resize', ask)
    }
  }, [isMany, rowHeight])
  if (!isMany) return { body, first: 0, last: count }
  return { body, first: Math.min(seen.first, count), last: Math.min(seen.last, count) }
}
