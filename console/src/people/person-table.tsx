import type { PersonView } from '@muster/contract/console-records.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Column, Records } from '../components/records.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { StateCell } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'

type Parts = {
  readonly rows: readonly PersonView[]
  readonly isDeprovisioned?: boolean
  /** At the end of each row. */
  readonly end?: (person: PersonView) => ReactNode
}

export const PersonTable = ({ rows, isDeprovisioned = false, end }: Parts) => (
  <Records isTall rows={rows} columns={[...columns, lastColumn(isDeprovisioned), ...(end ? [endColumn(end)] : [])]} />
)

const columns: readonly Column<PersonView>[] = [
  {
    text: 'Person',
    className: 'c-name',
    cell: ({ id, name, email }) => (
      <>
        <Link
          to="/people/$personId"
          params={{ personId: id }}
          className="medium ellipsis"
          data-row-link
          title={visibleText(name)}
        >
          {visibleText(name)}
        </Link>
        <span className="second ellipsis" title={visibleText(email)}>
          {visibleText(email)}
        </span>
      </>
    ),
  },
  {
    text: 'Worst device',
    head: 'w-150',
    className: 'c-lead',
    cell: ({ worst_state: state }) =>
      state === null ? <span className="faint">No device</span> : <StateCell standing={state} />,
  },
  { text: 'Devices', head: 'numeric w-96', className: 'numeric c-more', cell: ({ devices_count: count }) => count },
  { text: 'Groups', head: 'numeric w-96', className: 'numeric c-more', cell: ({ groups_count: count }) => count },
]

const lastColumn = (isDeprovisioned: boolean): Column<PersonView> => ({
  text: isDeprovisioned ? 'Deprovisioned' : 'Last sign-in',
  head: 'numeric w-150',
  className: 'numeric secondary c-time',
  cell: (person) => (
    <RelativeTime time={isDeprovisioned ? person.deprovisioned_at : person.last_authenticated_at} missing="never" />
  ),
})

const endColumn = (cell: (person: PersonView) => ReactNode): Column<PersonView> => ({
  text: 'Actions',
  isUntitled: true,
  head: 'w-96',
  className: 'numeric c-sub',
  cell,
})
