import { Button } from '@mantine/core'
import { visibleText } from '../components/visible-text.ts'
import type { OtherChange } from './rebase-input.ts'

type Parts<Input> = {
  readonly others: readonly OtherChange<keyof Input>[]
  readonly labels: Readonly<Record<keyof Input, string>>
  readonly theirs: Input
  readonly yours: Input
  readonly shownOf: (input: Input, field: keyof Input) => string
  readonly onTakeTheirs: (field: keyof Input) => void
}

/** What someone else changed of the record while it was edited here, beside what is typed. */
export function ChangedMeanwhile<Input>({ others, labels, theirs, yours, shownOf, onTakeTheirs }: Parts<Input>) {
  if (others.length === 0) return null
  const shown = (input: Input, field: keyof Input) => visibleText(shownOf(input, field)) || 'nothing'
  return (
    <section className="note will changed-meanwhile" aria-label="Changed in the meantime">
      <div className="grow">
        <p className="medium" role="status">
          Someone else changed this while you were editing.
        </p>
        <ul className="lines">
          {others.map(({ field, isContested }) => (
            <li className="line" key={String(field)}>
              <span className="grow breaks">
                <span className="medium">{labels[field]}</span>: theirs is “{shown(theirs, field)}”
                {isContested ? `, yours is “${shown(yours, field)}”. Saving replaces theirs.` : '; it is kept.'}
              </span>
              {isContested && <Button onClick={() => onTakeTheirs(field)}>Use theirs</Button>}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
