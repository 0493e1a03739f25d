import { Button } from '@mantine/core'
import type { RefusedPerson } from '@muster/contract/console-sign-in.ts'
import type { RefusalReason } from '@muster/contract/refusal-reasons.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { query } from '../api/query.ts'
import { noneHereFor } from '../components/companion-platforms.ts'
import { ListBody } from '../components/list-body.tsx'
import { type Column, Records } from '../components/records.tsx'
import { visibleText } from '../components/visible-text.ts'
import { reasonWords } from './connection-words.ts'

type Parts = { readonly connectionId: string; readonly reason: RefusalReason | undefined }

/** The people of the report, some at a time. */
export const RefusedPeople = (parts: Parts) => <Pages key={parts.reason ?? ''} {...parts} />

function Pages({ connectionId, reason }: Parts) {
  const [cursors, setCursors] = useState<readonly string[]>([''])
  const asked = { params: { id: connectionId }, query: { per_page: 10, reason, cursor: cursors.at(-1) } }
  const list = useQuery(query('listRefusedPeople', asked, { staleTime: 0 }))
  const next = list.data?.pagination.next_cursor ?? ''
  return (
    <>
      <ListBody list={list} name="Refused people" empty={null} isInset>
        {(rows) => <Records rows={rows} columns={columns} isTall />}
      </ListBody>
      {(cursors.length > 1 || next !== '') && (
        <div className="form-ends">
          <Button disabled={cursors.length === 1} onClick={() => setCursors(cursors.slice(0, -1))}>
            Previous
          </Button>
          <Button disabled={next === ''} onClick={() => setCursors([...cursors, next])}>
            Next
          </Button>
        </div>
      )}
    </>
  )
}

const whyOf = ({ reason, device_type: type }: Pick<RefusedPerson, 'reason' | 'device_type'>): string =>
  reason === 'no_companion_for_platform' && type !== null ? noneHereFor([type]) : reasonWords[reason]

const columns: readonly Column<RefusedPerson>[] = [
  {
    text: 'Person',
    className: 'c-name',
    title: ({ email }) => email,
    cell: ({ id, name, email }) => (
      <>
        <Link to="/people/$personId" params={{ personId: id }} className="medium ellipsis">
          {visibleText(name)}
        </Link>
        <span className="second ellipsis">{visibleText(email)}</span>
      </>
    ),
  },
  {
    text: 'Why',
    className: 'c-sub',
    title: (person) => whyOf(person),
    cell: ({ device_id: id, device_name: name, ...person }) => (
      <>
        <span className="ellipsis">{whyOf(person)}</span>
        {id !== null && (
          <Link to="/devices/$deviceId" params={{ deviceId: id }} className="second ellipsis">
            {visibleText(name ?? '')}
          </Link>
        )}
      </>
    ),
  },
]
