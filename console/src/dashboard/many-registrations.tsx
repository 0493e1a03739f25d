import type { ConsoleSummary } from '@muster/contract/console-views.ts'
import { Link } from '@tanstack/react-router'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'

/** Who registered many devices to themselves, a line for each person. */
export function ManyRegistrations({ people }: { readonly people: ConsoleSummary['many_registrations'] }) {
  return people.map((person) => (
    <div key={person.person_id} className="notice" role="status">
      <div className="grow">
        <Link to="/people/$personId" params={{ personId: person.person_id }} className="underlined">
          {visibleText(person.person_name)}
        </Link>{' '}
        <b className="medium">registered {person.devices} devices within an hour</b>, the last one{' '}
        <RelativeTime time={person.last_registered_at} />, with an enrollment secret issued for them or at a sign-in.
      </div>
    </div>
  ))
}
