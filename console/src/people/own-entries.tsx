import { Link } from '@tanstack/react-router'
import { RecordEntries } from '../audit/record-entries.tsx'

export const OwnEntries = ({ personId, name }: { readonly personId: string; readonly name: string }) => (
  <section aria-labelledby="own-entries" className="section">
    <div className="section-head">
      <h2 id="own-entries">In the audit log</h2>
      <Link to="/audit" search={{ about: `person:${personId}` }} className="underlined small">
        All entries
      </Link>
    </div>
    <RecordEntries kind="person" id={personId} name={name} />
  </section>
)
