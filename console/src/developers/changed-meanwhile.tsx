import { Button } from '@mantine/core'
import { visibleText } from '../components/visible-text.ts'
import type { OtherChange } from './rebase-wishes.ts'

type Parts<Wishes> = {
  readonly others: readonly OtherChange<keyof Wishes>[]
  readonly labels: Readonly<Record<keyof Wishes, string>>
  readonly theirs: Wishes
  readonly yours: Wishes
  readonly shownOf: (wishes: Wishes, field: keyof Wishes) => string
  readonly onTakeTheirs: (field: keyof Wishes) => void
}

/** What somebody else changed of the record while it was edited here, beside what is typed. */
export function ChangedMeanwhile<Wishes>({ others, labels, theirs, yours, shownOf, onTakeTheirs }: Parts<Wishes>) {
  if (others.length === 0) return null
  const shown = (wishes: Wishes, field: keyof Wishes) => visibleText(shownOf(wishes, field)) || 'nothing'
  return (
    <section className="note will changed-meanwhile" aria-label="Changed meanwhile">
      <div className="grow">
        <p className="m" role="status">
          Somebody else changed this while you did.
        </p>
        <ul className="lines">
          {others.map(({ field, isContested }) => (
            <li className="line" key={String(field)}>
              <span className="grow breaks">
                <span className="m">{labels[field]}</span>: theirs is “{shown(theirs, field)}”
                {isContested
                  ? `, yours is “${shown(yours, field)}”. Saving puts yours in its place.`
                  : '; it is taken over.'}
              </span>
              {isContested && <Button onClick={() => onTakeTheirs(field)}>Take theirs</Button>}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
