import type { PersonView } from '@muster/contract/console-records.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
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
  <>
    <thead>
      <tr>
        <th>Person</th>
        <th className="w-150">Worst device</th>
        <th className="num w-96">Devices</th>
        <th className="num w-96">Groups</th>
        <th className="num w-150">{isDeprovisioned ? 'Deprovisioned' : 'Last sign-in'}</th>
        {end && (
          <th className="w-96">
            <span className="hidden">Actions</span>
          </th>
        )}
      </tr>
    </thead>
    <tbody>
      {rows.map((person) => (
        <tr key={person.id} className="tall">
          <td className="c-name">
            <Link
              to="/people/$personId"
              params={{ personId: person.id }}
              className="m ell"
              data-row-link
              title={visibleText(person.name)}
            >
              {visibleText(person.name)}
            </Link>
            <span className="second ell" title={visibleText(person.email)}>
              {visibleText(person.email)}
            </span>
          </td>
          <td className="c-lead">
            {person.worst_state === null ? (
              <span className="t3">No device</span>
            ) : (
              <StateCell standing={person.worst_state} />
            )}
          </td>
          <td className="num c-more">{person.devices_count}</td>
          <td className="num c-more">{person.groups_count}</td>
          <td className="num t2 c-time">
            <RelativeTime
              time={isDeprovisioned ? person.deprovisioned_at : person.last_authenticated_at}
              missing="never"
            />
          </td>
          {end && <td className="num c-sub">{end(person)}</td>}
        </tr>
      ))}
    </tbody>
  </>
)
