import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ListBody } from '../components/list-body.tsx'
import { signInViewsQuery } from '../sign-ins/sign-in-queries.ts'
import { SignInTable } from '../sign-ins/sign-in-table.tsx'

const shown = 5

export function OwnSignIns({ personId }: { personId: string }) {
  const list = useQuery(signInViewsQuery({ person_id: personId }, undefined, shown))
  return (
    <section aria-labelledby="own-sign-ins" className="section">
      <div className="section-head">
        <h2 id="own-sign-ins">Latest sign-ins</h2>
        <Link to="/sign-ins" search={{ person: personId }} className="underlined small">
          All sign-ins
        </Link>
      </div>
      <ListBody isInset list={list} name="Latest sign-ins" empty={<p className="secondary">No sign-ins yet.</p>}>
        {(rows) => <SignInTable rows={rows} isOfOnePerson />}
      </ListBody>
    </section>
  )
}
