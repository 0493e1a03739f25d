import type { ReactNode } from 'react'
import './sort-head.css'
import { Icon } from './icon.tsx'

/** `usual` is the order of an address that names none. */
type Order<Sort extends string> = Sort | 'usual'

type Parts<Sort extends string> = {
  readonly ascending?: Order<Sort>
  readonly descending?: Order<Sort>
  /** What a first click asks for, where there are both. */
  readonly isDescendingFirst?: boolean
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort | undefined) => void
  readonly className?: string
  readonly children: ReactNode
}

/** The head of a column that the list can be sorted by: an arrow shows which way it is. */
export function SortHead<Sort extends string>(parts: Parts<Sort>) {
  const { ascending, descending, isDescendingFirst = false, sort, onSort, className, children } = parts
  const present = sort ?? 'usual'
  const isUp = present === ascending
  const isDown = present === descending
  const first = isDescendingFirst ? (descending ?? ascending) : (ascending ?? descending)
  const next = isUp ? descending : isDown ? ascending : first
  const press = () => onSort(next === undefined || next === 'usual' ? undefined : next)
  return (
    <th className={className} {...((isUp || isDown) && { 'aria-sort': isUp ? 'ascending' : 'descending' })}>
      <button type="button" className="sort" onClick={press}>
        {children}
        {(isUp || isDown) && <Icon name={isUp ? 'arrowUp' : 'arrowDown'} size={14} />}
      </button>
    </th>
  )
}
