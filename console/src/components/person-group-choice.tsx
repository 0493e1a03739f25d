import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../api/query.ts'
import { LoadFailure } from './notices.tsx'
import './person-group-choice.css'
import { SearchBox } from './search-box.tsx'
import { visibleText } from './visible-text.ts'

export type PersonGroupName = { readonly id: string; readonly name: string }

const groupsQuery = (q: string) => {
  const text = q.replace(/["\\]/g, ' ').trim()
  return query('listPersonGroups', { query: { per_page: 50, query: text === '' ? '' : `name~"${text}"` } })
}

type Parts = {
  readonly chosen: readonly PersonGroupName[]
  readonly onChange: (groups: readonly PersonGroupName[]) => void
}

/** Groups of people, by a part of their name. */
export function PersonGroupChoice({ chosen, onChange }: Parts) {
  const [q, setQ] = useState('')
  const groups = useQuery(groupsQuery(q))
  const isChosen = (id: string) => chosen.some((one) => one.id === id)
  return (
    <div>
      <SearchBox value={q} placeholder="Name of a group" onChange={setQ} />
      <LoadFailure what="Groups" query={groups} />
      <ul className="group-choice" aria-label="Groups">
        {groups.data?.data.map(({ id, name }) => (
          <li key={id}>
            <label className="choice">
              <input
                type="checkbox"
                checked={isChosen(id)}
                onChange={() =>
                  onChange(isChosen(id) ? chosen.filter((one) => one.id !== id) : [...chosen, { id, name }])
                }
              />
              <span className="ellipsis">{visibleText(name)}</span>
            </label>
          </li>
        ))}
        {groups.data?.data.length === 0 && <li className="secondary">No groups found.</li>}
      </ul>
    </div>
  )
}
